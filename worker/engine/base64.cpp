#include "worker/engine/base64.h"

#include <array>
#include <cstdint>

namespace tilescope::worker {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> make_values() {
  std::array<int8_t, 256> values{};
  for (auto& value : values) value = -1;
  for (size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<int8_t>(i);
  }
  return values;
}
constexpr std::array<int8_t, 256> kValues = make_values();

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<uint32_t>(bytes[i + j]) : 0);
    }
    for (size_t j = 0; j < 4; ++j) {
      const bool padding = i + j > bytes.size();
      text.push_back(padding ? '=' : kDigits[group >> (18 - 6 * j) & 63]);
    }
  }
  return text;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    size_t digits = 4;
    if (i + 4 == text.size()) {
      while (digits > 2 && text[i + digits - 1] == '=') --digits;
    }
    uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      const int value = j < digits ? kValues[static_cast<unsigned char>(text[i + j])] : 0;
      if (value < 0) return std::nullopt;
      group = group << 6 | static_cast<uint32_t>(value);
    }
    for (size_t j = 0; j + 1 < digits; ++j) {
      bytes.push_back(static_cast<std::byte>(group >> (16 - 8 * j) & 255));
    }
  }
  return bytes;
}

}  // namespace tilescope::worker
