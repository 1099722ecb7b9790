// Vectors of W f32 for W columns of a product, 8 or 16, and what compilers do not make of the
// language's vectors by themselves.
#pragma once
#include "emulator/isa/half_tile.h"

namespace tilescope::emulator::TILESCOPE_ISA {

template <int W>
struct ColumnVectors;
#define TILESCOPE_COLUMN_VECTORS(W)                      \
  template <>                                            \
  struct ColumnVectors<W> {                              \
    typedef float F __attribute__((vector_size(4 * W))); \
    typedef s32 I __attribute__((vector_size(4 * W)));   \
  };
TILESCOPE_COLUMN_VECTORS(8)
TILESCOPE_COLUMN_VECTORS(16)
#undef TILESCOPE_COLUMN_VECTORS

constexpr s32 kMostUnits = 0x7fffff00;
constexpr s32 kSign = -0x7fffffff - 1;

template <int W>
struct Columns : ColumnVectors<W> {
  using typename ColumnVectors<W>::F;
  using typename ColumnVectors<W>::I;

  static I truncated(F v) { return __builtin_convertvector(v, I); }
  /// Cut toward zero; |v| is no more than kMostUnits.
  static F cut(I v) {
    const I magnitude = v < 0 ? -v : v;
    const F nearest = __builtin_convertvector(magnitude, F);
    const I above = __builtin_convertvector(nearest, I) > magnitude;  // -1: one place too many
    return reinterpret_cast<F>((reinterpret_cast<I>(nearest) + above) | (v & kSign));
  }
  /// Eight columns each of s8 or s16.
  template <class E>
  static I wide(const E* first, [[maybe_unused]] const E* second) {
    I v;
    for (int i = 0; i < W; ++i) v[i] = i < 8 ? first[i] : second[i - 8];
    return v;
  }
  static bool any(I mask) {
    u64 words[W / 2], all = 0;
    __builtin_memcpy(words, &mask, sizeof mask);
    for (u64 word : words) all |= word;
    return all != 0;
  }
};

#if defined(__AVX2__)
using Columns8 = Columns<8>;
template <>
inline Columns8::F Columns8::cut(I v) {
  const __m256i units = reinterpret_cast<__m256i>(v), magnitude = _mm256_abs_epi32(units);
  const __m256 nearest = _mm256_cvtepi32_ps(magnitude);
  const __m256i above = _mm256_cmpgt_epi32(_mm256_cvttps_epi32(nearest), magnitude);
  const __m256i lower = _mm256_add_epi32(_mm256_castps_si256(nearest), above);
  const __m256i sign = _mm256_and_si256(units, _mm256_set1_epi32(kSign));
  return _mm256_castsi256_ps(_mm256_or_si256(lower, sign));
}
template <>
inline Columns8::I Columns8::truncated(F v) {
  return reinterpret_cast<I>(_mm256_cvttps_epi32(v));
}
template <>
template <>
inline Columns8::I Columns8::wide(const s8* first, const s8*) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(first));
  return reinterpret_cast<I>(_mm256_cvtepi8_epi32(bytes));
}
template <>
template <>
inline Columns8::I Columns8::wide(const s16* first, const s16*) {
  const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first));
  return reinterpret_cast<I>(_mm256_cvtepi16_epi32(words));
}
template <>
inline bool Columns8::any(I mask) {
  const __m256i m = reinterpret_cast<__m256i>(mask);
  return !_mm256_testz_si256(m, m);
}
#endif

#if defined(__AVX512F__)
using Columns16 = Columns<16>;
template <>
inline Columns16::F Columns16::cut(I v) {
  return _mm512_cvt_roundepi32_ps(reinterpret_cast<__m512i>(v),
                                  _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
template <>
inline Columns16::I Columns16::truncated(F v) {
  return reinterpret_cast<I>(_mm512_cvttps_epi32(v));
}
template <>
template <>
inline Columns16::I Columns16::wide(const s8* first, const s8* second) {
  const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(first));
  const __m128i high = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(second));
  return reinterpret_cast<I>(_mm512_cvtepi8_epi32(_mm_unpacklo_epi64(low, high)));
}
template <>
template <>
inline Columns16::I Columns16::wide(const s16* first, const s16* second) {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(second));
  return reinterpret_cast<I>(_mm512_cvtepi16_epi32(_mm256_set_m128i(high, low)));
}
template <>
inline bool Columns16::any(I mask) {
  const __m512i m = reinterpret_cast<__m512i>(mask);
  return _mm512_test_epi32_mask(m, m) != 0;
}
#endif

}  // namespace tilescope::emulator::TILESCOPE_ISA
