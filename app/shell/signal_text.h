// Text that is written where little may be called: in a handler of signals.
#pragma once
#include <errno.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

namespace tilescope {

inline void put_text(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

inline void put_number(int fd, long long number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  put_text(fd, {digits, static_cast<size_t>(end - digits)});
}

}  // namespace tilescope
