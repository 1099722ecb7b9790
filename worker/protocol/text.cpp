#include "worker/protocol/text.h"

#include <cstring>

namespace tilescope::worker {
namespace {

// Length of the valid UTF-8 sequence at `at`, or 0.
size_t utf8_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  size_t length = lead < 0x80   ? 1
                  : lead < 0xc2 ? 0
                  : lead < 0xe0 ? 2
                  : lead < 0xf0 ? 3
                  : lead < 0xf5 ? 4
                                : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
  if (lead == 0xed && byte(1) >= 0xa0) return 0;  // surrogate
  if (lead == 0xf0 && byte(1) < 0x90) return 0;
  if (lead == 0xf4 && byte(1) >= 0x90) return 0;
  return length;
}

}  // namespace

std::string safe_text(std::string_view text, size_t limit, bool lines) {
  std::string safe;
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text, at);
    if (safe.size() + (length == 0 ? 1 : length) > limit) break;
    const auto lead = static_cast<unsigned char>(text[at]);
    const bool kept_control = lines && (lead == '\n' || lead == '\t');
    // U+0080 to U+009F are control characters as well: 0xc2 0x80 to 0xc2 0x9f.
    const bool control =
        lead < 0x20 || lead == 0x7f ||
        (length == 2 && lead == 0xc2 && static_cast<unsigned char>(text[at + 1]) < 0xa0);
    if (length == 0 || (control && !kept_control)) {
      safe += '?';
    } else {
      safe.append(text.substr(at, length));
    }
    at += length == 0 ? 1 : length;
  }
  return safe;
}

std::string describe_exit(int64_t code, int signal) {
  if (signal == 0) return "ended with code " + std::to_string(code);
  const char* name = strsignal(signal);
  return "was ended by signal " + std::to_string(signal) + " (" + (name ? name : "unknown") + ")";
}

void BoundedLog::append(std::string_view text) {
  appended_ += text.size();
  if (text.size() > limit_) text.remove_prefix(text.size() - limit_);
  if (text_.size() + text.size() > limit_) text_.erase(0, text_.size() + text.size() - limit_);
  text_.append(text);
}

std::string BoundedLog::last_line(size_t mark) const {
  std::string_view rest = text_;
  const size_t dropped = appended_ - text_.size();
  if (mark > dropped) rest.remove_prefix(mark - dropped);
  while (!rest.empty()) {
    const size_t newline = rest.rfind('\n');
    std::string_view line = newline == rest.npos ? rest : rest.substr(newline + 1);
    const size_t end = line.find_last_not_of(" \t\r");  // ssh ends its lines as a terminal's
    if (end != line.npos) return safe_text(line.substr(0, end + 1), 400);
    rest = newline == rest.npos ? std::string_view() : rest.substr(0, newline);
  }
  return {};
}

}  // namespace tilescope::worker
