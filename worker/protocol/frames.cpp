#include "worker/protocol/frames.h"

#include <algorithm>
#include <charconv>

#include "worker/protocol/text.h"

namespace tilescope::worker {
namespace {

constexpr std::string_view kMagic = "tilescope-worker ";
constexpr std::string_view kBinaryType = "application/x-tilescope-binary";
constexpr size_t kMaxTypeBytes = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

bool is_type_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxTypeBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-' || c == '/';
         });
}

}  // namespace

std::string magic_line() { return std::string(kMagic) + std::to_string(kProtocolVersion) + "\n"; }

std::string encode_json_frame(std::string_view json) {
  std::string frame = "Content-Length: " + std::to_string(json.size()) + "\r\n\r\n";
  frame.append(json);
  return frame;
}

std::string encode_binary_frame(uint64_t id, std::string_view type, uint64_t offset, uint64_t total,
                                std::string_view chunk) {
  std::string frame = "Content-Length: " + std::to_string(chunk.size());
  frame.append("\r\nContent-Type: ").append(kBinaryType);
  frame.append("\r\nTilescope-Id: ").append(std::to_string(id));
  frame.append("\r\nTilescope-Type: ").append(is_type_name(type) ? type : "unnamed");
  frame.append("\r\nTilescope-Offset: ").append(std::to_string(offset));
  frame.append("\r\nTilescope-Total: ").append(std::to_string(total));
  frame.append("\r\n\r\n").append(chunk);
  return frame;
}

void FrameReader::fail(const std::string& sentence) {
  failed_ = true;
  buffer_.clear();
  at_ = 0;
  throw FrameError(sentence);
}

void FrameReader::feed(std::string_view bytes) {
  if (failed_) return;
  if (at_ > 0 && at_ >= buffer_.size() / 2) {  // what was read is let go of now and then
    buffer_.erase(0, at_);
    at_ = 0;
  }
  buffer_.append(bytes);
}

bool FrameReader::skip_to_magic() {
  // The search starts anew with each piece; the junk is at most 64 KiB, so that costs nothing.
  for (size_t from = 0;;) {
    const size_t found = buffer_.find(kMagic, from);
    const size_t line_end = found == buffer_.npos ? found : buffer_.find('\n', found);
    if (std::min(found, buffer_.size()) > kMaxJunkBytes) break;
    if (line_end == buffer_.npos) {
      if (buffer_.size() > kMaxJunkBytes + kMagic.size() + 16) break;
      return false;
    }
    std::string_view number(buffer_.data() + found + kMagic.size(),
                            line_end - found - kMagic.size());
    if (number.ends_with('\r')) number.remove_suffix(1);
    if (const auto version = parse_number(number)) {
      junk_ = buffer_.substr(0, found);
      at_ = line_end + 1;
      waits_for_magic_ = false;
      if (*version != kProtocolVersion) {
        fail("the worker speaks protocol " + std::to_string(*version) + ", this program speaks " +
             std::to_string(kProtocolVersion) +
             ": install the same Tilescope version on both sides");
      }
      return true;
    }
    from = found + kMagic.size();
  }
  junk_ = buffer_.substr(0, kMaxJunkBytes);
  fail("the worker did not announce itself in the first 64 KiB; it said: \"" +
       safe_text(junk_, 200) + "\"");
}

void FrameReader::parse_field(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == line.npos) {
    fail("malformed frame: \"" + safe_text(line, 80) + "\" is no header field");
  }
  const std::string_view name = trimmed(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  const auto number = [&](uint64_t limit) {
    const auto parsed = parse_number(value);
    if (!parsed || *parsed > limit) {
      fail("malformed frame: " + safe_text(name, 40) + " is \"" + safe_text(value, 40) +
           "\", which must be a number up to " + std::to_string(limit));
    }
    return *parsed;
  };
  if (same_word(name, "Content-Length")) {
    if (length_) fail("malformed frame: Content-Length is given twice");
    length_ = number(kMaxFrameBytes);
  } else if (same_word(name, "Content-Type")) {
    frame_.binary = same_word(value, kBinaryType);
  } else if (same_word(name, "Tilescope-Id")) {
    frame_.id = number(UINT64_MAX);
  } else if (same_word(name, "Tilescope-Type")) {
    if (!is_type_name(value)) fail("malformed frame: Tilescope-Type is no name");
    frame_.type = value;
  } else if (same_word(name, "Tilescope-Offset")) {
    frame_.offset = number(kMaxBinaryBytes);
  } else if (same_word(name, "Tilescope-Total")) {
    frame_.total = number(kMaxBinaryBytes);
  }  // other fields: of a later version, harmless
}

void FrameReader::parse_header(std::string_view block) {
  length_.reset();
  frame_ = Frame();
  while (!block.empty()) {
    const size_t end = block.find("\r\n");
    parse_field(block.substr(0, end));
    block = end == block.npos ? std::string_view() : block.substr(end + 2);
  }
  if (!length_) fail("malformed frame: it has no Content-Length");
  if (!frame_.binary) return;
  if (frame_.type.empty()) fail("malformed frame: a binary frame has no Tilescope-Type");
  if (*length_ > kMaxChunkBytes) {
    fail("malformed frame: a binary chunk of " + std::to_string(*length_) +
         " bytes, the limit is " + std::to_string(kMaxChunkBytes));
  }
  if (frame_.offset + *length_ > frame_.total) {
    fail("malformed frame: a binary chunk ends behind its message");
  }
}

bool FrameReader::read_header() {
  const std::string_view unread = std::string_view(buffer_).substr(at_);
  const size_t end = unread.substr(0, kMaxHeaderBytes).find("\r\n\r\n");
  if (end == unread.npos) {
    if (unread.size() >= kMaxHeaderBytes) {
      fail("malformed frame: its header is longer than " + std::to_string(kMaxHeaderBytes) +
           " bytes");
    }
    return false;
  }
  const std::string block(unread.substr(0, end));
  parse_header(block);
  at_ += end + 4;
  in_body_ = true;
  return true;
}

std::optional<Frame> FrameReader::next() {
  if (failed_) return std::nullopt;
  if (waits_for_magic_ && !skip_to_magic()) return std::nullopt;
  if (!in_body_ && !read_header()) return std::nullopt;
  if (buffer_.size() - at_ < *length_) return std::nullopt;
  frame_.body = buffer_.substr(at_, *length_);
  at_ += *length_;
  in_body_ = false;
  if (at_ == buffer_.size()) {
    buffer_.clear();
    at_ = 0;
  }
  return std::move(frame_);
}

}  // namespace tilescope::worker
