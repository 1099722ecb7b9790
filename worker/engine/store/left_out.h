// What of files of lines is not read, since it is too long or none of what it should be, and how
// that is said.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tilescope::worker {

/// Bytes of a line: a recording of today has 2,300, a proof 250.
inline constexpr size_t kMostLineBytes = 64u << 10;
/// Bytes of a layer's line, which has a bar for each rank's part of each step: of the largest layer
/// on the most ranks some 2 MB.
inline constexpr size_t kMostLayerBytes = 8u << 20;
/// Bytes of a file, which is read whole: some 60,000 recordings.
inline constexpr uint64_t kMostFileBytes = 64u << 20;

/// Sentences that wait to be told, each of them once, and no more of them than somebody reads.
class Notices {
 public:
  void add(const std::string& sentence);
  /// All of them; then there are none.
  std::string take();

 private:
  std::string waiting_;
  bool more_ = false;
  std::set<std::string> told_;
};

/// The lines of one file that are left out.
class LeftOut {
 public:
  /// `number`: of the line in its file, from 1 on; 0: not known.
  void add(size_t number, std::string why);
  int count() const { return count_; }
  const std::string& why_first() const { return why_; }
  /// "3 lines of FILE are left out; correct or remove them (the first, line 7: M is 0; choose 1 to
  /// 1,048,576)." Empty: there are none.
  std::string sentence(const std::string& file) const;

 private:
  int count_ = 0;
  size_t first_ = 0;
  std::string why_;
};

/// Takes a line: empty, or why it is left out.
using TakeLine = std::function<std::string(std::string_view line)>;
/// Hands on the lines of a text that are not empty, without their ends. Those of more than `most`
/// bytes are left out. `first`: the number of its first line, 0 = not known.
void each_line(std::string_view text, size_t most, const TakeLine& take, LeftOut& left_out,
               size_t first = 1);

/// A file's bytes, at most kMostFileBytes. Nothing if it has more or cannot be read; then `why_not`
/// gets a sentence.
std::optional<std::string> text_of_lines(const std::string& file, std::string* why_not);

/// "The result is not kept: WHY."
std::string not_kept_since(std::string why);

/// Empty, or that a line has more bytes than `most`.
std::string why_too_long(std::string_view line, size_t most);

}  // namespace tilescope::worker
