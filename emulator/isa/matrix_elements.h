// Element types of matrix operands: how many bits, what they become for arithmetic, and back.
#pragma once
#include "emulator/isa/lane_types.h"

namespace tilescope::emulator::TILESCOPE_ISA {

/// In each of these, `Value` is the type that products are computed in: integers of at most 8 bits
/// become f32, which holds any sum of 64 of their products exactly (64 · 255² < 2^24). `letter` is
/// that of their registers in Row::operands. `least`: the exponent of a real's subnormal numbers.
struct F16 {
  static constexpr int bits = 16, least = -14;
  static constexpr char letter = 'r';
  using Value = f32;
  static f32 widen(u32 x) { return half_to_float(static_cast<u16>(x)); }
  static u32 narrow(f32 v) { return float_to_half(v); }
};
struct Bf16 {
  static constexpr int bits = 16, least = -126;
  static constexpr char letter = 'r';
  using Value = f32;
  static f32 widen(u32 x) { return bfloat_to_float(static_cast<u16>(x)); }
};
struct Tf32 {  // the 13 low bits are not looked at
  static constexpr int bits = 32, least = -126;
  static constexpr char letter = 'r';
  using Value = f32;
  static f32 widen(u32 x) { return bits_float(x & 0xffffe000u); }
};
struct F32 {
  static constexpr int bits = 32;
  static constexpr char letter = 'f';
  using Value = f32;
  static f32 widen(u32 x) { return bits_float(x); }
  static u32 narrow(f32 v) { return float_bits(v); }
};
struct F64 {
  static constexpr int bits = 64;
  static constexpr char letter = 'd';
  using Value = f64;
};

/// An 8-bit real with Mantissa bits behind the point, as an f32. `Infinities`: the top exponent is
/// that of IEEE 754; without, only all ones are a NaN, and the largest value is finite.
template <int Mantissa, bool Infinities>
struct Real8 {
  static constexpr int bits = 8;
  static constexpr char letter = 'r';
  using Value = f32;
  static constexpr int exponents = 1 << (7 - Mantissa), bias = exponents / 2 - 1, least = 1 - bias;
  static constexpr f32 value_of(u32 x) {
    const u32 sign = (x & 0x80u) << 24, fraction = x & ((1u << Mantissa) - 1u);
    const u32 exponent = (x >> Mantissa) & (exponents - 1u);
    const bool top = exponent == exponents - 1u;
    if (Infinities ? top : (x & 0x7fu) == 0x7fu) {
      const bool nan = !Infinities || fraction != 0;
      return __builtin_bit_cast(f32, nan ? 0x7fffffffu : sign | 0x7f800000u);
    }
    if (exponent == 0) {
      const u32 unit = static_cast<u32>(127 + 1 - bias - Mantissa) << 23;
      const f32 magnitude = static_cast<f32>(fraction) * __builtin_bit_cast(f32, unit);
      return sign ? -magnitude : magnitude;
    }
    return __builtin_bit_cast(
        f32, sign | (exponent + static_cast<u32>(127 - bias)) << 23 | fraction << (23 - Mantissa));
  }
  struct Values {
    f32 of[256];
  };
  static constexpr Values make_values() {
    Values values{};
    for (u32 x = 0; x < 256; ++x) values.of[x] = value_of(x);
    return values;
  }
  static constexpr Values values = make_values();
  static f32 widen(u32 x) { return values.of[x]; }
};
using E4m3 = Real8<3, false>;
using E5m2 = Real8<2, true>;

template <int Bits, bool Signed>
struct SmallInteger {
  static constexpr int bits = Bits;
  static constexpr char letter = 'r';
  using Value = f32;
  static f32 widen(u32 x) {
    const u32 top = x << (32 - Bits);
    return static_cast<f32>(Signed ? static_cast<s32>(top) >> (32 - Bits)
                                   : static_cast<s32>(top >> (32 - Bits)));
  }
};
using S8 = SmallInteger<8, true>;
using U8 = SmallInteger<8, false>;
using S4 = SmallInteger<4, true>;
using U4 = SmallInteger<4, false>;

struct S32 {
  static constexpr int bits = 32;
  static constexpr char letter = 'r';
  using Value = s32;
  static s32 widen(u32 x) { return static_cast<s32>(x); }
  static u32 narrow(s32 v) { return static_cast<u32>(v); }
};
/// Thirty-two .b1 of one row of A (column of B): always in one register, in memory in one word.
struct B1x32 {
  static constexpr int bits = 32;
  static constexpr char letter = 'r';
  using Value = u32;
  static u32 widen(u32 x) { return x; }
};

}  // namespace tilescope::emulator::TILESCOPE_ISA
