// Sums of products as a tensor core makes them (emulator/machine/sum_rules.h), one element at a
// time: what card_block.h leaves over, which is what is rare.
#pragma once
#include "emulator/isa/reals.h"
#include "emulator/machine/context.h"

namespace tilescope::emulator::TILESCOPE_ISA {

/// A number as significand · 2^(exponent - 23), the significand not normalised where `least` is
/// the exponent of a type's subnormal numbers. Zero has no exponent.
struct Parts {
  s32 significand;
  s32 exponent;
};
constexpr s32 kNoExponent = -100000;
inline Parts parts_of(f32 x, int least) {
  const u32 bits = float_bits(x);
  s32 exponent = static_cast<s32>(bits >> 23 & 0xffu) - 127;
  s32 significand = static_cast<s32>(bits & 0x7fffffu);
  if (exponent == -127) {
    exponent = -126;
  } else {
    significand |= 0x800000;
  }
  if (significand == 0) return {0, kNoExponent};
  if (exponent < least) {  // its bits are there: the type has no more
    significand >>= least - exponent;
    exponent = least;
  }
  return {bits >> 31 ? -significand : significand, exponent};
}

/// Null where the run's sums are IEEE's.
inline const SumRule* rule_of(const Context& c, SumFamily family) {
  if (__builtin_expect(c.sums == nullptr, 1)) return nullptr;
  const SumRule& rule = c.sums->of[static_cast<int>(family)];
  return rule.way == SumRule::Way::ieee ? nullptr : &rule;
}

/// What a sum is rounded to.
enum class SumType : u8 { f32, f16 };

/// units · 2^scale, cut to f32 with `kept` bits of fraction.
inline f32 cut_to_float(s64 units, int scale, int kept) {
  if (units == 0) return 0;
  u64 magnitude = units < 0 ? 0 - static_cast<u64>(units) : static_cast<u64>(units);
  const int top = 63 - __builtin_clzll(magnitude);
  int exponent = top + scale;                                   // of the value
  const int last = (exponent < -126 ? -126 : exponent) - kept;  // that of the last bit kept
  const int shift = last - scale;
  if (shift > 63) return 0;
  if (shift > 0) magnitude = magnitude >> shift << shift;
  if (magnitude == 0) return 0;  // of either sign
  if (exponent > 127) return bits_float(units < 0 ? 0xff800000u : 0x7f800000u);
  const f64 value = __builtin_ldexp(static_cast<f64>(magnitude), scale);
  return static_cast<f32>(units < 0 ? -value : value);
}
/// units · 2^scale, rounded to the nearest f16.
inline u16 nearest_half(s64 units, int scale) {
  if (units == 0) return 0;
  u64 magnitude = units < 0 ? 0 - static_cast<u64>(units) : static_cast<u64>(units);
  const u16 sign = units < 0 ? 0x8000 : 0;
  const int top = 63 - __builtin_clzll(magnitude);
  const int exponent = top + scale;
  const int last = (exponent < -14 ? -14 : exponent) - 10;
  const int shift = last - scale;
  if (shift > 63) return 0;
  u64 whole;
  if (shift <= 0) {
    whole = magnitude << -shift;
  } else {
    whole = magnitude >> shift;
    const u64 rest = magnitude & ((u64{1} << shift) - 1), half = u64{1} << (shift - 1);
    if (rest > half || (rest == half && (whole & 1u))) ++whole;
  }
  if (whole == 0) return 0;                              // of either sign
  const int field = exponent < -14 ? 0 : exponent + 14;  // a carry goes to the exponent by itself
  if (field >= 30) return sign | 0x7c00;
  return static_cast<u16>(sign | ((static_cast<u64>(field) << 10) + whole));
}

/// NaNs and infinities; false if there are none. A product is infinite if a factor is.
inline bool special_sum(const f32* a, const f32* b, int stride, int count, f32 c, f32* result) {
  f32 sum = c - c;  // NaN if it is not finite
  for (int k = 0; k < count; ++k) {
    sum += a[k] - a[k];
    sum += b[k * stride] - b[k * stride];
  }
  if (sum == sum) return false;
  bool nan = c != c, up = c == __builtin_inff(), down = c == -__builtin_inff();
  for (int k = 0; k < count; ++k) {
    const f32 x = a[k], y = b[k * stride];
    if (x - x == 0 && y - y == 0) continue;
    const f32 p = x * y;
    nan = nan || p != p;
    up = up || p > 0;
    down = down || p < 0;
  }
  *result =
      nan || (up && down) ? bits_float(0x7fffffffu) : bits_float(up ? 0x7f800000u : 0xff800000u);
  return true;
}

/// One fused sum of c and `count` products; b[k] is at k · stride. The result is widened if an f16.
inline f32 fused_sum(const SumRule& rule, SumType type, const f32* a, int least_a, const f32* b,
                     int least_b, int stride, int count, f32 c) {
  f32 special;
  if (special_sum(a, b, stride, count, c, &special)) return special;
  constexpr int kMost = 32;
  s64 products[kMost];
  s32 exponents[kMost];
  const Parts start = parts_of(c, type == SumType::f16 ? -14 : -126);
  s32 most = start.exponent > rule.least ? start.exponent : rule.least;
  for (int k = 0; k < count; ++k) {
    const Parts x = parts_of(a[k], least_a), y = parts_of(b[k * stride], least_b);
    products[k] = s64{x.significand} * y.significand;  // · 2^(exponent - 46)
    exponents[k] = products[k] == 0 ? kNoExponent : x.exponent + y.exponent;
    most = most < exponents[k] ? exponents[k] : most;
  }
  const auto cut = [&](s64 significand, int fraction, s32 exponent) {
    const int shift = most - exponent + fraction - rule.fraction;  // to the right, if positive
    if (significand == 0 || shift > 62) return s64{0};
    if (shift <= 0) return significand * (s64{1} << -shift);
    return significand < 0 ? -(-significand >> shift) : significand >> shift;
  };
  s64 sum = cut(start.significand, 23, start.exponent);
  for (int k = 0; k < count; ++k) sum += cut(products[k], 46, exponents[k]);
  const int scale = most - rule.fraction;
  return type == SumType::f16 ? half_to_float(nearest_half(sum, scale))
                              : cut_to_float(sum, scale, rule.kept);
}

inline f32 sum_without_tensor_core(SumType type, const f32* a, const f32* b, int stride, int count,
                                   f32 c) {
  f32 sum = 0;
  if (type == SumType::f32) {
    for (int k = 0; k < count; ++k) sum = fused(a[k], b[k * stride], sum);
    sum += c;
  } else {
    sum = c;
    for (int k = 0; k < count; k += 2) {
      sum += fused(a[k + 1], b[(k + 1) * stride], a[k] * b[k * stride]);
    }
  }
  return sum == sum ? sum : bits_float(0x7fffffffu);
}

/// Of one element, all `count` products; A and B say what they were before they were widened.
template <class A, class B>
f32 card_sum(const SumRule& rule, SumType type, const f32* a, const f32* b, int stride, int count,
             f32 c) {
  if (rule.way == SumRule::Way::fused) {
    const int step = rule.at_once == 0 || rule.at_once > count ? count : rule.at_once;
    for (int k = 0; k < count; k += step) {
      c = fused_sum(rule, type, a + k, A::least, b + k * stride, B::least, stride, step, c);
    }
    return c;
  }
  if (rule.way == SumRule::Way::without_tensor_core) {
    return sum_without_tensor_core(type, a, b, stride, count, c);
  }
  constexpr int kMost = 32;
  f32 half_a[kMost / 2] = {}, half_b[kMost / 2] = {};
  f32 sum = 0;
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < count / 2; ++i) {
      const int k = i / 2 * 4 + 2 * half + i % 2;
      half_a[i] = a[k];
      half_b[i] = b[k * stride];
    }
    sum = fused_sum(rule, type, half_a, -14, half_b, -14, 1, count / 2, sum);
  }
  const f32 all = sum + c;
  return all == all ? all : bits_float(0x7fffffffu);
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
