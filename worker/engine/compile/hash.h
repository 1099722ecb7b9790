// A 128-bit content hash (FNV-1a): names cache entries and revisions. Not for security.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tilescope::worker {

class Hash {
 public:
  Hash& add(std::string_view bytes) {
    for (const char c : bytes) {
      state_ ^= static_cast<unsigned char>(c);
      state_ *= kPrime;
    }
    return *this;
  }
  Hash& add(std::span<const std::byte> bytes) {
    return add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  /// A text whose end matters: "ab", "c" and "a", "bc" differ.
  Hash& add_field(std::string_view text) {
    return add(std::to_string(text.size())).add(":").add(text);
  }
  std::string hex() const {
    std::string text(32, '0');
    U128 left = state_;
    for (size_t i = text.size(); i-- > 0; left >>= 4) {
      text[i] = "0123456789abcdef"[static_cast<unsigned>(left & 15)];
    }
    return text;
  }

 private:
  __extension__ using U128 = unsigned __int128;
  static constexpr U128 kPrime = (static_cast<U128>(1) << 88) + 0x13b;
  U128 state_ = (static_cast<U128>(0x6c62272e07bb0142ull) << 64) + 0x62b821756295c58dull;
};

}  // namespace tilescope::worker
