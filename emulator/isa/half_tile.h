// Tiles of matrix products with f32 sums. A register of 16-bit elements over a warp *is* an 8 × 8
// row-major half tile: lane l holds row l/4, columns 2(l%4) and +1, and its 128 bytes are that tile
// in order. Of f32 accumulators, one register holds the even columns of eight rows and the next one
// their odd columns. So here a line of eight sums has its even columns first: loading and storing
// sums then needs no shuffle, and putting the columns of B in the same order costs nothing.
#pragma once
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#include "emulator/isa/matrix_elements.h"
#include "emulator/isa/product.h"

namespace tilescope::emulator::TILESCOPE_ISA {

/// The matrix's column at place j of a line, and the place of a column.
constexpr int column_at(int j) { return j < 4 ? 2 * j : 2 * j - 7; }
constexpr int place_of(int column) { return column / 2 + (column % 2) * 4; }

#if defined(__wasm_simd128__)
/// Four 16-bit elements, each in the lower half of its lane, as f32.
template <class T>
inline v128_t wide4(v128_t bits) {
  if constexpr (std::is_same_v<T, Bf16>) {
    return wasm_i32x4_shl(bits, 16);
  } else {
    const auto every = [](u32 x) { return wasm_i32x4_splat(static_cast<s32>(x)); };
    // The exponent's bias is another one by 112, which a product sets right, of subnormals too.
    const v128_t placed = wasm_i32x4_shl(wasm_v128_and(bits, every(0x7fff)), 13);
    const v128_t value = wasm_f32x4_mul(placed, wasm_f32x4_splat(0x1p112f));
    const v128_t no_number = wasm_u32x4_gt(wasm_v128_and(bits, every(0x7fff)), every(0x7bff));
    const v128_t exponent = wasm_v128_and(no_number, every(0x7f800000));
    const v128_t sign = wasm_i32x4_shl(wasm_v128_and(bits, every(0x8000)), 16);
    return wasm_v128_or(wasm_v128_or(value, exponent), sign);
  }
}
#endif

template <class T>
inline V8 widen8(const u16* from) {
#if defined(__F16C__)
  if constexpr (std::is_same_v<T, F16>) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
#endif
#if defined(__AVX2__)
  if constexpr (std::is_same_v<T, Bf16>) {
    const __m256i words =
        _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
  }
#endif
#if defined(__wasm_simd128__)
  if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, Bf16>) {
    const v128_t halves = wasm_v128_load(from);
    const v128_t both[2] = {wide4<T>(wasm_u32x4_extend_low_u16x8(halves)),
                            wide4<T>(wasm_u32x4_extend_high_u16x8(halves))};
    V8 v;
    __builtin_memcpy(&v, both, sizeof v);
    return v;
  }
#endif
  V8 v;
  for (int i = 0; i < 8; ++i) v[i] = T::widen(from[i]);
  return v;
}

inline void narrow8(V8 v, u16* to) {
#if defined(__F16C__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
#else
  for (int i = 0; i < 8; ++i) to[i] = float_to_half(v[i]);
#endif
}

inline void transpose8(V8* t) {
#if defined(__AVX2__)
  __m256 r[8], s[8];
  for (int i = 0; i < 8; ++i) r[i] = t[i];
  for (int i = 0; i < 8; i += 2) {
    s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(s[i], s[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(s[i], s[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
    t[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
  }
#elif defined(__clang__)
  V8 r[8], s[8];
  for (int i = 0; i < 8; i += 2) {
    s[i] = __builtin_shufflevector(t[i], t[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    s[i + 1] = __builtin_shufflevector(t[i], t[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = __builtin_shufflevector(s[i], s[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    r[i + 1] = __builtin_shufflevector(s[i], s[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    r[i + 2] = __builtin_shufflevector(s[i + 1], s[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    r[i + 3] = __builtin_shufflevector(s[i + 1], s[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    t[i] = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    t[i + 4] = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#else
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < i; ++j) {
      const float x = t[i][j];
      t[i][j] = t[j][i];
      t[j][i] = x;
    }
  }
#endif
}

/// Accumulators in f32.
struct FloatSums {
  static constexpr int registers = 4;
  static V8 get(const std::byte* file, const u32* r, int half, int row) {
    const float* even = reinterpret_cast<const float*>(file + r[2 * half]) + 4 * row;
    const float* odd = reinterpret_cast<const float*>(file + r[2 * half + 1]) + 4 * row;
#if defined(__AVX2__)
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(even)), _mm_load_ps(odd), 1);
#else
    return V8{even[0], even[1], even[2], even[3], odd[0], odd[1], odd[2], odd[3]};
#endif
  }
  static void put(std::byte* file, const u32* r, int half, int row, V8 v) {
    float* even = reinterpret_cast<float*>(file + r[2 * half]) + 4 * row;
    float* odd = reinterpret_cast<float*>(file + r[2 * half + 1]) + 4 * row;
#if defined(__AVX2__)
    _mm_store_ps(even, _mm256_castps256_ps128(v));
    _mm_store_ps(odd, _mm256_extractf128_ps(v, 1));
#else
    for (int j = 0; j < 4; ++j) {
      even[j] = v[j];
      odd[j] = v[4 + j];
    }
#endif
  }
};

/// Accumulators in f16: a register is a half tile.
struct HalfSums {
  static constexpr int registers = 2;
  static V8 get(const std::byte* file, const u32* r, int half, int row) {
    const V8 v = widen8<F16>(reinterpret_cast<const u16*>(file + r[half]) + 8 * row);
    return __builtin_shufflevector(v, v, 0, 2, 4, 6, 1, 3, 5, 7);
  }
  static void put(std::byte* file, const u32* r, int half, int row, V8 v) {
    narrow8(__builtin_shufflevector(v, v, 0, 4, 1, 5, 2, 6, 3, 7),
            reinterpret_cast<u16*>(file + r[half]) + 8 * row);
  }
};

constexpr int at_least_8(int k) { return k < 8 ? 8 : k; }
/// Operands as f32, ready to be multiplied. `deep`: steps of k, padded with zeros.
template <class T, int K>
struct WideA {
  static constexpr int registers = T::bits == 32 ? K / 2 : K / 4, deep = at_least_8(K);
  alignas(32) float of[16][deep];
  void fill(const std::byte* file, const u32* r) {
    if constexpr (K < deep) __builtin_memset(of, 0, sizeof of);
    for (int q = 0; q < registers; ++q) {  // rows 0-7, 8-15; then the next ones of k
      const std::byte* slot = file + r[q];
      if constexpr (T::bits == 32) {  // a register is an 8 × 4 tile
        for (int l = 0; l < 32; ++l) {
          of[8 * (q % 2) + l / 4][4 * (q / 2) + l % 4] = T::widen(get<u32>(slot, l));
        }
      } else {
        const u16* tile = reinterpret_cast<const u16*>(slot);
        for (int row = 0; row < 8; ++row) {
          const V8 v = widen8<T>(tile + 8 * row);
          __builtin_memcpy(&of[8 * (q % 2) + row][8 * (q / 2)], &v, 32);
        }
      }
    }
  }
};
template <class T, int K>
struct WideB {
  static constexpr int registers = T::bits == 32 ? K / 4 : K / 8, deep = at_least_8(K);
  V8 of[deep];  // lines of k
  void fill(const std::byte* file, const u32* r) {
    if constexpr (K < deep) __builtin_memset(of, 0, sizeof of);
    for (int q = 0; q < registers; ++q) {
      const std::byte* slot = file + r[q];
      if constexpr (T::bits == 32) {
        float* lines = reinterpret_cast<float*>(of + 4 * q);
        for (int l = 0; l < 32; ++l) {
          lines[8 * (l % 4) + place_of(l / 4)] = T::widen(get<u32>(slot, l));
        }
      } else {
        const u16* tile = reinterpret_cast<const u16*>(slot);  // n × k
        for (int j = 0; j < 8; ++j) of[8 * q + j] = widen8<T>(tile + 8 * column_at(j));
        transpose8(of + 8 * q);
      }
    }
  }
};

}  // namespace tilescope::emulator::TILESCOPE_ISA
