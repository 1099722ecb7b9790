// Sums of products as a tensor core makes them, straight from the formats' fields, by integers of
// 128 bits: shares nothing with emulator/isa.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "exact_reference.h"

namespace tilescope::emulator::test {

__extension__ typedef __int128 Int128;

struct CardSums {
  int fraction = 25, kept = 23;
  int at_once = 0;             // 0: all
  bool by_halves = false;      // of operands that have become f16, then C is added
  bool without_cores = false;  // in f32
};

/// (-1)^negative · significand · 2^last; `exponent` is the field's, so not of a normalised number.
struct CardNumber {
  bool nan = false, infinite = false, negative = false;
  int64_t significand = 0;
  int last = 0, exponent = 0;
  double value() const {
    if (nan) return std::nan("");
    const double v = infinite ? HUGE_VAL : std::ldexp(static_cast<double>(significand), last);
    return negative ? -v : v;
  }
};

inline CardNumber card_number(const std::string& type, uint64_t bits) {
  struct Format {
    int bits, fraction, bias;
  };
  const Format f = type == "f16"    ? Format{16, 10, 15}
                   : type == "bf16" ? Format{16, 7, 127}
                   : type == "e4m3" ? Format{8, 3, 7}
                   : type == "e5m2" ? Format{8, 2, 15}
                                    : Format{32, 23, 127};
  if (type == "tf32") bits &= ~uint64_t{0x1fff};
  const int top = (1 << (f.bits - 1 - f.fraction)) - 1;
  const int field = static_cast<int>(bits >> f.fraction) & top;
  CardNumber n;
  n.negative = (bits >> (f.bits - 1)) & 1u;
  n.significand = static_cast<int64_t>(bits & ((uint64_t{1} << f.fraction) - 1));
  if (type == "e4m3") {
    n.nan = (bits & 0x7f) == 0x7f;
  } else if (field == top) {
    n.infinite = n.significand == 0;
    n.nan = !n.infinite;
  }
  n.exponent = (field == 0 ? 1 : field) - f.bias;
  if (field != 0) n.significand |= int64_t{1} << f.fraction;
  n.last = n.exponent - f.fraction;
  return n;
}
/// The same number, as f16 has it.
inline CardNumber as_half(CardNumber n) {
  if (n.significand == 0) return n;
  while (n.significand < 1024 && n.last > -24) n.significand *= 2, --n.last;
  n.exponent = n.last + 10;
  return n;
}

inline uint32_t bits_of_sum(Int128 units, int scale, bool half, int kept) {
  if (units == 0) return 0;
  const bool negative = units < 0;
  Int128 magnitude = negative ? -units : units;
  if (half) {
    const Wide value = Wide(magnitude) * std::ldexp(1.0, scale);
    const uint32_t rounded = f16().round({value, 0}, Mode::nearest);
    return rounded == 0 ? 0 : rounded | (negative ? 0x8000u : 0u);
  }
  int top = scale;
  for (Int128 m = magnitude; m > 1; m >>= 1) ++top;
  for (const int last = std::max(top, -126) - kept; scale < last; ++scale) magnitude >>= 1;
  if (magnitude == 0) return 0;
  if (top > 127) return negative ? 0xff800000u : 0x7f800000u;
  const auto value = static_cast<float>(std::ldexp(static_cast<double>(magnitude), scale));
  return std::bit_cast<uint32_t>(negative ? -value : value);
}

/// c + the products, one fused sum.
inline uint32_t fused_reference(const CardSums& rule, const std::vector<CardNumber>& a,
                                const std::vector<CardNumber>& b, const CardNumber& c, bool half) {
  bool nan = c.nan, up = c.infinite && !c.negative, down = c.infinite && c.negative;
  int largest = -133;
  if (c.significand != 0) largest = std::max(largest, c.exponent);
  for (size_t k = 0; k < a.size(); ++k) {
    const bool zero =
        (!a[k].infinite && a[k].significand == 0) || (!b[k].infinite && b[k].significand == 0);
    const bool infinite = a[k].infinite || b[k].infinite;
    nan = nan || a[k].nan || b[k].nan || (infinite && zero);
    up = up || (infinite && a[k].negative == b[k].negative);
    down = down || (infinite && a[k].negative != b[k].negative);
    if (!zero) largest = std::max(largest, a[k].exponent + b[k].exponent);
  }
  if (nan || (up && down)) return half ? 0x7fff : 0x7fffffff;
  if (up || down)
    return (half ? 0x7c00u : 0x7f800000u) | (down ? half ? 0x8000u : 0x80000000u : 0u);
  const int scale = largest - rule.fraction;
  Int128 sum = 0;
  const auto add = [&](int64_t significand, int last, bool negative) {
    Int128 cut = significand;
    for (; last > scale; --last) cut *= 2;
    for (; last < scale; ++last) cut /= 2;
    sum += negative ? -cut : cut;
  };
  if (c.significand != 0) add(c.significand, c.last, c.negative);
  for (size_t k = 0; k < a.size(); ++k) {
    const int64_t product = a[k].significand * b[k].significand;
    if (product != 0) add(product, a[k].last + b[k].last, a[k].negative != b[k].negative);
  }
  return bits_of_sum(sum, scale, half, rule.kept);
}

inline uint32_t float_reference(const std::vector<CardNumber>& a, const std::vector<CardNumber>& b,
                                const CardNumber& c, bool half) {
  const auto value = [](const CardNumber& n) { return static_cast<float>(n.value()); };
  float sum = half ? value(c) : 0;
  for (size_t k = 0; k < a.size(); k += half ? 2 : 1) {
    if (half) {
      sum += std::fma(value(a[k + 1]), value(b[k + 1]), value(a[k]) * value(b[k]));
    } else {
      sum = std::fma(value(a[k]), value(b[k]), sum);
    }
  }
  if (!half) sum += value(c);
  if (sum != sum) return half ? 0x7fff : 0x7fffffff;
  return half ? f16().round({sum, 0}, Mode::nearest) | (std::signbit(sum) ? 0x8000u : 0u)
              : std::bit_cast<uint32_t>(sum);
}

/// D's bits: `sums` is C's type while products are added, `d` the result's.
inline uint32_t card_reference(const CardSums& rule, const std::vector<CardNumber>& a,
                               const std::vector<CardNumber>& b, CardNumber c, bool half) {
  if (rule.without_cores) return float_reference(a, b, c, half);
  const char* type = half ? "f16" : "f32";
  const size_t step = rule.at_once == 0 ? a.size() : static_cast<size_t>(rule.at_once);
  if (!rule.by_halves) {
    uint32_t bits = 0;
    for (size_t k = 0; k < a.size(); k += step) {
      const auto from = static_cast<std::ptrdiff_t>(k);
      const auto to = static_cast<std::ptrdiff_t>(std::min(k + step, a.size()));
      bits = fused_reference(rule, {a.begin() + from, a.begin() + to},
                             {b.begin() + from, b.begin() + to}, c, half);
      c = card_number(type, bits);
    }
    return bits;
  }
  CardNumber sum;
  for (const size_t part : {0u, 1u}) {
    std::vector<CardNumber> x, y;
    for (size_t k = 0; k < a.size(); ++k) {
      if (k / 2 % 2 == part) x.push_back(as_half(a[k])), y.push_back(as_half(b[k]));
    }
    sum = card_number(type, fused_reference(rule, x, y, sum, half));
  }
  const float all = static_cast<float>(sum.value()) + static_cast<float>(c.value());
  if (all != all) return half ? 0x7fff : 0x7fffffff;
  return half ? f16().round({all, 0}, Mode::nearest) | (std::signbit(all) ? 0x8000u : 0u)
              : std::bit_cast<uint32_t>(all);
}

}  // namespace tilescope::emulator::test
