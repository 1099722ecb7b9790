// Exponents of operands, in the order in which products of sixteen rows and eight columns need
// them: the largest exponent of a sum's terms says where they are cut (card_block.h).
#pragma once
#include "emulator/isa/half_tile.h"

namespace tilescope::emulator::TILESCOPE_ISA {

typedef s32 V8i __attribute__((vector_size(32)));

/// A zero has an exponent below all others, and so has its product with anything. Of f16 and 8-bit
/// reals all fit a byte, if sums of two stay at the ends.
template <class T>
struct ExponentOf {
#if defined(__AVX2__)
  static constexpr bool narrow = T::bits == 8 || std::is_same_v<T, F16>;
#else
  static constexpr bool narrow = false;
#endif
  using type = std::conditional_t<narrow, s8, s16>;
  static constexpr type none = narrow ? -128 : -8192;
};

/// The range of what was seen, zeros left out.
struct ExponentRange {
  V8i low = V8i{} + 1000, high = V8i{} - 1000;
  int least() const { return fold(low, false); }
  int most() const { return fold(high, true); }  // 128: there is an infinity or a NaN

 private:
  static int fold(V8i v, bool greatest) {
    int best = v[0];
    for (int i = 1; i < 8; ++i) best = (v[i] > best) == greatest ? v[i] : best;
    return best;
  }
};

template <class T>
inline V8i exponents_of(V8 values, ExponentRange& range) {
  const V8i bits = reinterpret_cast<V8i>(values) & 0x7fffffff, zero = bits == 0;
  const V8i field = (bits >> 23) - 127, raised = field > T::least ? field : V8i{} + T::least;
  range.high = field > range.high ? field : range.high;
  if constexpr (T::bits == 32 || std::is_same_v<T, Bf16>) {  // those of others are never too small
    const V8i low = zero ? V8i{} + 1000 : raised;
    range.low = low < range.low ? low : range.low;
  }
  return zero ? V8i{} + ExponentOf<T>::none : raised;
}

/// What an operand's exponents lie between. Of f16 and 8-bit reals the least does not matter.
template <class T>
struct FoundRange {
  int least = 0, most = 0;
  void take(const ExponentRange& range) {
    if constexpr (T::bits == 32 || std::is_same_v<T, Bf16>) least = range.least();
    most = range.most();
  }
};

/// Of eight columns of B.
template <class T, int K>
struct ExponentsB : FoundRange<T> {
  using E = typename ExponentOf<T>::type;
  alignas(32) E of[K][8];

  void find(const V8* lines) {
    ExponentRange range;
    for (int k = 0; k < K; ++k) put(exponents_of<T>(lines[k], range), of[k]);
    this->take(range);
  }

 private:
  static void put(V8i e, E* to) {
#if defined(__AVX2__)
    const __m256i all = reinterpret_cast<__m256i>(e);
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    if constexpr (sizeof(E) == 1) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packs_epi16(words, words));
    } else {
      _mm_store_si128(reinterpret_cast<__m128i*>(to), words);
    }
#else
    for (int i = 0; i < 8; ++i) to[i] = static_cast<E>(e[i]);
#endif
  }
};

/// Of sixteen rows of A: those of a few rows in one word, for each k.
template <class T, int K>
struct ExponentsA : FoundRange<T> {
  using E = typename ExponentOf<T>::type;
  static constexpr int together = 4 / sizeof(E), bits = 8 * sizeof(E);
  alignas(32) u32 of[16 / together][K];

  void find(const float (*rows)[K]) {
    static_assert(K % 8 == 0);
    ExponentRange range;
    for (int m = 0; m < 16; m += together) {
      for (int k = 0; k < K; k += 8) {
        V8i words = {};
        for (int i = 0; i < together; ++i) {
          V8 v;
          __builtin_memcpy(&v, rows[m + i] + k, 32);
          words |= (exponents_of<T>(v, range) & ((1 << bits) - 1)) << (bits * i);
        }
        __builtin_memcpy(of[m / together] + k, &words, 32);
      }
    }
    this->take(range);
  }
};

/// The largest exponent of products first … first + Steps - 1, of each row and column.
template <int Steps, class T, int K>
[[gnu::always_inline]] inline void largest_exponents(const ExponentsA<T, K>& a,
                                                     const typename ExponentOf<T>::type (*b)[8],
                                                     int first,
                                                     typename ExponentOf<T>::type (*largest)[8]) {
  using E = typename ExponentOf<T>::type;
  constexpr int groups = 16 / ExponentsA<T, K>::together;
#if defined(__AVX2__)
  // A row's exponent eight times, then the next row's.
  const __m256i spread = sizeof(E) == 1
                             ? _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2,
                                                2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3)
                             : _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 2,
                                                3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3);
  __m256i best[groups];
  for (__m256i& v : best) v = sizeof(E) == 1 ? _mm256_set1_epi8(-128) : _mm256_set1_epi16(-32768);
#pragma GCC unroll 2
  for (int k = first; k < first + Steps; ++k) {
    __m256i columns;
    if constexpr (sizeof(E) == 1) {
      s64 line;
      __builtin_memcpy(&line, b[k], 8);
      columns = _mm256_set1_epi64x(line);
    } else {
      columns = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(b[k])));
    }
#pragma GCC unroll 8
    for (int i = 0; i < groups; ++i) {
      const __m256i rows =
          _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<s32>(a.of[i][k])), spread);
      best[i] = sizeof(E) == 1 ? _mm256_max_epi8(best[i], _mm256_adds_epi8(rows, columns))
                               : _mm256_max_epi16(best[i], _mm256_adds_epi16(rows, columns));
    }
  }
  __builtin_memcpy(largest, best, sizeof best);
#else
  typedef E Line __attribute__((vector_size(16)));
  for (int m = 0; m < 16; ++m) {
    Line best = Line{} + ExponentOf<T>::none;
    for (int k = first; k < first + Steps; ++k) {
      Line line;
      __builtin_memcpy(&line, b[k], sizeof line);
      line += static_cast<E>(a.of[m / 2][k] >> (16 * (m % 2)));
      best = line > best ? line : best;
    }
    __builtin_memcpy(largest[m], &best, sizeof best);
  }
  (void)groups;
#endif
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
