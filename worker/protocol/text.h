// Making text from outside harmless before it is shown, and words for how a process ended.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope::worker {

/// Control characters (but for newline and tab if `lines`) and broken UTF-8 become '?'; at most
/// `limit` bytes.
std::string safe_text(std::string_view text, size_t limit, bool lines = false);

/// "ended with code 3", "was ended by signal 11 (Segmentation fault)".
std::string describe_exit(int64_t code, int signal);

/// Keeps the last `limit` bytes of what is appended.
class BoundedLog {
 public:
  explicit BoundedLog(size_t limit = 64u << 10) : limit_(limit) {}
  void append(std::string_view text);
  const std::string& text() const { return text_; }
  /// All that was ever appended, in bytes: a mark for last_line().
  size_t appended() const { return appended_; }
  /// The last line with something on it, made safe; empty if there is none since the mark.
  std::string last_line(size_t mark = 0) const;

 private:
  size_t limit_;
  std::string text_;
  size_t appended_ = 0;
};

}  // namespace tilescope::worker
