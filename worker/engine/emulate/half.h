// Floats of 16 and 8 bits on the host, rounded to nearest even.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/layout/problem.h"

namespace tilescope::worker {

inline uint16_t half_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x47800000u) {  // 65536 and more, infinity, NaN
    return static_cast<uint16_t>(sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u));
  }
  if (magnitude < 0x38800000u) {  // below 2^-14: adding 0.5 leaves the subnormal in the low bits
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t odd = magnitude >> 13 & 1;
  return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

inline float half_value(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u)
    return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ff) << 13);
  if (magnitude < 0x400u) {  // subnormal: exact in float
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
}

inline uint16_t bfloat_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
inline float bfloat_value(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// e4m3 or e5m2. Source: PTX ISA 9.0, "Alternate floating-point data formats".
struct EightBits {
  int mantissa, lowest;  // bits; exponent of the smallest normal number
  uint32_t largest, not_a_number;
  bool infinite;  // the highest exponent is of infinity and NaN
};
constexpr EightBits eight_bits(ElementType type) {
  return type == ElementType::e4m3 ? EightBits{3, -6, 0x7e, 0x7f, false}
                                   : EightBits{2, -14, 0x7b, 0x7f, true};
}
/// Beyond the largest number the largest, as cvt.satfinite has it.
inline uint8_t eight_bits_of(ElementType type, float value) {
  const EightBits f = eight_bits(type);
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 24 & 0x80u;
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint8_t>(sign | f.not_a_number);
  const int own = static_cast<int>(bits >> 23 & 0xff) - 127;
  const int exponent = own > f.lowest ? own : f.lowest;
  if (exponent > 16) return static_cast<uint8_t>(sign | f.largest);
  // Steps of the last bit; what is rounded up to the next exponent lands where it belongs.
  const float steps = std::nearbyint(std::abs(value) * std::ldexp(1.0f, f.mantissa - exponent));
  const uint32_t size =
      (static_cast<uint32_t>(exponent - f.lowest) << f.mantissa) + static_cast<uint32_t>(steps);
  return static_cast<uint8_t>(sign | (size < f.largest ? size : f.largest));
}
inline float eight_bits_value(ElementType type, uint8_t bits) {
  const EightBits f = eight_bits(type);
  const uint32_t size = bits & 0x7fu, exponent = size >> f.mantissa;
  const uint32_t fraction = size & ((1u << f.mantissa) - 1);
  float value = 0;
  if (f.infinite ? exponent == 31 && fraction > 0 : size == f.not_a_number) {
    value = std::numeric_limits<float>::quiet_NaN();
  } else if (f.infinite && exponent == 31) {
    value = std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(fraction), f.lowest - f.mantissa);
  } else {
    value = std::ldexp(static_cast<float>(fraction + (1u << f.mantissa)),
                       static_cast<int>(exponent) - 1 + f.lowest - f.mantissa);
  }
  return (bits & 0x80u) != 0 ? -value : value;
}

}  // namespace tilescope::worker
