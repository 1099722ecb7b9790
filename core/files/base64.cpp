#include "core/files/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tilescope::files {
namespace {

/// The 64 digits, and the value of each character: −1, it is none.
struct Alphabet {
  std::string_view digits;
  std::array<int8_t, 256> values{};

  constexpr explicit Alphabet(std::string_view d) : digits(d) {
    for (auto& value : values) value = -1;
    for (size_t i = 0; i < d.size(); ++i) {
      values[static_cast<unsigned char>(d[i])] = static_cast<int8_t>(i);
    }
  }
};
constexpr Alphabet kPlain("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
constexpr Alphabet kUrl("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

/// Without padding.
std::string encode(const Alphabet& alphabet, std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<uint32_t>(bytes[i + j]) : 0);
    }
    for (size_t j = 0; j < 4 && i + j <= bytes.size(); ++j) {
      text.push_back(alphabet.digits[group >> (18 - 6 * j) & 63]);
    }
  }
  return text;
}

std::optional<std::vector<std::byte>> decode(const Alphabet& alphabet, std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  for (size_t i = 0; i < text.size(); i += 4) {
    const size_t digits = std::min<size_t>(4, text.size() - i);
    uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      const int value = j < digits ? alphabet.values[static_cast<unsigned char>(text[i + j])] : 0;
      if (value < 0) return std::nullopt;
      group = group << 6 | static_cast<uint32_t>(value);
    }
    for (size_t j = 0; j + 1 < digits; ++j) {
      bytes.push_back(static_cast<std::byte>(group >> (16 - 8 * j) & 255));
    }
  }
  return bytes;
}

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
  std::string text = encode(kPlain, bytes);
  while (text.size() % 4 != 0) text.push_back('=');
  return text;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decode(kPlain, text);
}

std::string base64url(std::span<const std::byte> bytes) { return encode(kUrl, bytes); }

std::optional<std::vector<std::byte>> from_base64url(std::string_view text) {
  return decode(kUrl, text);
}

}  // namespace tilescope::files
