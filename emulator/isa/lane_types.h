// Types of lane values, and how they lie in registers. Compiled once per instruction set: the macro
// TILESCOPE_ISA names this build's namespace, so that the two builds never share a function.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "emulator/compile/code.h"
#include "emulator/compile/row.h"
#include "emulator/machine/context.h"

namespace tilescope::emulator::TILESCOPE_ISA {

using u8 = uint8_t;
using s8 = int8_t;
using u16 = uint16_t;
using s16 = int16_t;
using u32 = uint32_t;
using s32 = int32_t;
using u64 = uint64_t;
using s64 = int64_t;
using f32 = float;
using f64 = double;

struct Half {
  u16 bits;
};

inline u32 float_bits(float f) { return __builtin_bit_cast(u32, f); }
inline float bits_float(u32 u) { return __builtin_bit_cast(float, u); }

inline float half_to_float(u16 h) {
#if defined(__F16C__)
  return _cvtsh_ss(h);
#else
  const u32 sign = static_cast<u32>(h & 0x8000u) << 16;
  const u32 exponent = (h >> 10) & 31u, mantissa = h & 1023u;
  if (exponent == 31) {  // a NaN becomes quiet, as vcvtph2ps makes it
    return bits_float(sign | 0x7f800000u | (mantissa << 13) | (mantissa ? 0x400000u : 0u));
  }
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return bits_float(sign | ((exponent + 112) << 23) | (mantissa << 13));
#endif
}

// Round to nearest even.
inline u16 float_to_half(float f) {
#if defined(__F16C__)
  return static_cast<u16>(_cvtss_sh(f, _MM_FROUND_TO_NEAREST_INT));
#else
  const u32 x = float_bits(f), sign = (x >> 16) & 0x8000u, magnitude = x & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<u16>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x47800000u) return static_cast<u16>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {  // subnormal: adding 0.5 leaves the rounded value in the mantissa
    const float shifted = bits_float(magnitude) + 0.5f;
    return static_cast<u16>(sign | (float_bits(shifted) - 0x3f000000u));
  }
  const u32 rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<u16>(sign | ((rounded - 0x38000000u) >> 13));
#endif
}

inline float bfloat_to_float(u16 h) { return bits_float(static_cast<u32>(h) << 16); }
inline u16 float_to_bfloat(float f) {
  const u32 x = float_bits(f);
  if ((x & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<u16>((x + 0x7fffu + ((x >> 16) & 1u)) >> 16);
}

/// A 16-bit value fills a 32-bit lane whose upper half is zero.
template <class T>
inline T get(const std::byte* slot, int lane) {
  if constexpr (sizeof(T) >= 4) {
    return reinterpret_cast<const T*>(slot)[lane];
  } else {
    const u32 word = reinterpret_cast<const u32*>(slot)[lane];
    if constexpr (std::is_same_v<T, Half>) {
      return Half{static_cast<u16>(word)};
    } else {
      return static_cast<T>(word);
    }
  }
}

template <class T>
inline void put(std::byte* slot, int lane, T value) {
  if constexpr (sizeof(T) >= 4) {
    reinterpret_cast<T*>(slot)[lane] = value;
  } else if constexpr (std::is_same_v<T, Half>) {
    reinterpret_cast<u32*>(slot)[lane] = value.bits;
  } else {
    reinterpret_cast<u32*>(slot)[lane] = static_cast<u16>(value);
  }
}

// 32 words that are 0 or all ones → one bit per lane.
inline u32 pack_bits(const u32* words) {
#if defined(__AVX2__)
  u32 bits = 0;
  for (int i = 0; i < 4; ++i) {
    const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(words + 8 * i));
    bits |= static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(v))) << (8 * i);
  }
  return bits;
#else
  u32 bits = 0;
  for (int i = 0; i < 32; ++i) bits |= (words[i] & 1u) << i;
  return bits;
#endif
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
