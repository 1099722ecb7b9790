// Bytes as hexadecimal digits, two each: binary frames in inputs that are JSON.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::fuzz {

inline std::string digits_of(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const std::byte byte : bytes) {
    digits += kDigits[std::to_integer<size_t>(byte) / 16];
    digits += kDigits[std::to_integer<size_t>(byte) % 16];
  }
  return digits;
}

/// Up to what is no digit.
inline std::vector<std::byte> bytes_of_digits(std::string_view digits) {
  std::vector<std::byte> bytes;
  while (!digits.empty()) {
    unsigned value = 0;
    const size_t taken = std::min<size_t>(2, digits.size());
    if (std::from_chars(digits.data(), digits.data() + taken, value, 16).ptr == digits.data())
      break;
    bytes.push_back(static_cast<std::byte>(value));
    digits.remove_prefix(taken);
  }
  return bytes;
}

}  // namespace tilescope::fuzz
