// Frames on a byte stream: `Content-Length: N`, an empty line, N bytes; as language servers speak
// it, plus binary frames. Everything that comes in is checked before memory is taken for it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tilescope::worker {

inline constexpr int kProtocolVersion = 1;
inline constexpr size_t kMaxFrameBytes = 16u << 20;
inline constexpr size_t kMaxChunkBytes = 4u << 20;         // of a binary message
inline constexpr uint64_t kMaxBinaryBytes = 256ull << 20;  // a binary message, all chunks together
inline constexpr size_t kMaxHeaderBytes = 4096;
inline constexpr size_t kMaxJunkBytes = 64u << 10;  // before the magic line

/// The first line that a worker writes. What comes before it was printed by something else, a login
/// shell on another machine for example, and is skipped.
std::string magic_line();

/// The stream cannot be read any further; what() is one sentence.
struct FrameError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Frame {
  bool binary = false;
  std::string body;
  // Binary frames alone: one chunk of a message that belongs to call `id`.
  uint64_t id = 0;
  std::string type;
  uint64_t offset = 0, total = 0;
};

std::string encode_json_frame(std::string_view json);
std::string encode_binary_frame(uint64_t id, std::string_view type, uint64_t offset, uint64_t total,
                                std::string_view chunk);
/// Calls `write(frame)` for each chunk of a message; an empty message is one empty chunk.
template <typename Write>
void encode_binary_message(uint64_t id, std::string_view type, std::span<const std::byte> bytes,
                           Write write) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  size_t offset = 0;
  do {
    const std::string_view chunk = all.substr(offset, kMaxChunkBytes);
    write(encode_binary_frame(id, type, offset, all.size(), chunk));
    offset += chunk.size();
  } while (offset < all.size());
}

/// Cuts a stream into frames. After a FrameError nothing more comes out.
class FrameReader {
 public:
  /// `after_magic`: frames start only behind the magic line.
  explicit FrameReader(bool after_magic = false) : waits_for_magic_(after_magic) {}
  void feed(std::string_view bytes);
  /// The next whole frame, if one is there. Throws FrameError.
  std::optional<Frame> next();
  /// What came before the magic line, or has come without one so far: for showing it.
  const std::string& junk() const { return waits_for_magic_ && !failed_ ? buffer_ : junk_; }
  bool waits_for_magic() const { return waits_for_magic_; }
  /// Bytes of an unfinished frame are there: an end of the stream now cuts it short.
  bool inside_frame() const { return !failed_ && (in_body_ || at_ < buffer_.size()); }

 private:
  [[noreturn]] void fail(const std::string& sentence);
  bool skip_to_magic();
  bool read_header();
  void parse_header(std::string_view block);
  void parse_field(std::string_view line);

  std::string buffer_;
  size_t at_ = 0;  // start of what is unread in buffer_
  std::string junk_;
  bool waits_for_magic_;
  bool in_body_ = false;
  bool failed_ = false;
  std::optional<uint64_t> length_;
  Frame frame_;  // header of the frame whose body is awaited
};

}  // namespace tilescope::worker
