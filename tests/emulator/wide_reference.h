// Integers of 128 bits for references: the compiler's, where it has them, else ones of 16-bit
// digits, which share nothing with the emulator's.
#pragma once
#include <cstdint>

namespace tilescope::emulator::test {

/// Unsigned, modulo 2^128, by long addition and multiplication.
class Digits128 {
 public:
  constexpr Digits128(uint64_t v = 0) {
    for (int i = 0; i < 4; ++i) digit_[i] = static_cast<uint16_t>(v >> (16 * i));
  }
  friend constexpr Digits128 operator+(const Digits128& a, const Digits128& b) {
    Digits128 r;
    uint32_t carry = 0;
    for (int i = 0; i < 8; ++i) {
      carry += uint32_t{a.digit_[i]} + b.digit_[i];
      r.digit_[i] = static_cast<uint16_t>(carry);
      carry >>= 16;
    }
    return r;
  }
  friend constexpr Digits128 operator*(const Digits128& a, const Digits128& b) {
    Digits128 r;
    for (int i = 0; i < 8; ++i) {
      uint32_t carry = 0;
      for (int k = 0; i + k < 8; ++k) {
        carry += uint32_t{a.digit_[i]} * b.digit_[k] + r.digit_[i + k];
        r.digit_[i + k] = static_cast<uint16_t>(carry);
        carry >>= 16;
      }
    }
    return r;
  }
  friend constexpr Digits128 operator<<(Digits128 a, int by) {
    for (; by > 0; --by) a = a + a;
    return a;
  }
  friend constexpr Digits128 operator>>(const Digits128& a, int by) {
    Digits128 r;
    for (int i = by; i < 128; ++i) {
      r.digit_[(i - by) / 16] = static_cast<uint16_t>(
          r.digit_[(i - by) / 16] | (a.digit_[i / 16] >> (i % 16) & 1) << ((i - by) % 16));
    }
    return r;
  }
  constexpr Digits128& operator+=(const Digits128& b) { return *this = *this + b; }
  constexpr explicit operator uint64_t() const {
    uint64_t v = 0;
    for (int i = 0; i < 4; ++i) v |= uint64_t{digit_[i]} << (16 * i);
    return v;
  }

 private:
  uint16_t digit_[8] = {};  // the lowest first
};

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 UInt128;
#else
using UInt128 = Digits128;
#endif

/// The upper 64 bits of the product of two signed numbers.
inline uint64_t signed_high(uint64_t a, uint64_t b) {
  const bool negative = (a >> 63) != (b >> 63);
  const uint64_t x = a >> 63 ? 0 - a : a, y = b >> 63 ? 0 - b : b;
  const UInt128 all = UInt128(x) * UInt128(y);
  const auto low = static_cast<uint64_t>(all), high = static_cast<uint64_t>(all >> 64);
  return negative ? ~high + (low == 0) : high;
}

}  // namespace tilescope::emulator::test
