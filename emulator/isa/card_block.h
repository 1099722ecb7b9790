// Sixteen rows and eight columns of a product as a tensor core sums it (card_sum.h says how), by
// vectors: products of operands are exact in f32, and so are they times the power of two that makes
// the sum's last place 1, of which a conversion to integers cuts the rest off. What needs more than
// f32 has, or is no number, is left to card_sum.h.
#pragma once
#include "emulator/isa/card_exponents.h"
#include "emulator/isa/card_sum.h"
#include "emulator/isa/columns.h"

namespace tilescope::emulator::TILESCOPE_ISA {

template <class Sums>
inline constexpr SumType sum_type_of = Sums::registers == 2 ? SumType::f16 : SumType::f32;

/// The exponents between which a fused sum is done here, so that powers of two and results are
/// numbers of f32.
constexpr int kLeastExponent = -100, kMostExponent = 120;
constexpr s32 bits_of_power(int exponent) { return (exponent + 127) << 23; }

/// What has been seen of sixteen rows: whether they are for here.
template <int W>
struct Seen {
  using I = typename Columns<W>::I;
  I least = I{} + 0x7fffffff, most = {};  // bits of C, without their signs; least less 1
  I overflows = {};                       // negative, if so

  [[gnu::always_inline]] void start(I bits) {
    const I less = (bits - 1) & 0x7fffffff;  // a zero is the largest
    least = less < least ? less : least;
    most = bits > most ? bits : most;
  }
  bool starts_fit() const {
    return !Columns<W>::any((least < bits_of_power(kLeastExponent) - 1) |
                            (most >= bits_of_power(kMostExponent + 1)));
  }
};

/// The largest exponent of the terms of W sums: of products, and of C.
template <int W, SumType Type>
[[gnu::always_inline]] inline typename Columns<W>::I exponents_of_row(
    typename Columns<W>::I products, typename Columns<W>::F c, Seen<W>& seen) {
  using I = typename Columns<W>::I;
  const I bits = reinterpret_cast<I>(c) & 0x7fffffff;
  seen.start(bits);
  I e = (bits >> 23) - 127;
  if constexpr (Type == SumType::f16) e = ((bits != 0) & (e < -14)) ? I{} - 14 : e;
  e = products > e ? products : e;
  return e > kLeastExponent ? e : I{} + kLeastExponent;  // of zeros alone: any will do
}

/// One fused sum of a row.
template <int W, SumType Type, int Steps>
[[gnu::always_inline]] inline typename Columns<W>::F row_sum(const SumRule& rule, const float* a,
                                                             const typename Columns<W>::F* lines,
                                                             typename Columns<W>::F c,
                                                             typename Columns<W>::I largest,
                                                             Seen<W>& seen) {
  using F = typename Columns<W>::F;
  using I = typename Columns<W>::I;
  const F scale = reinterpret_cast<F>((rule.fraction + 127 - largest) << 23);
  I sum0 = Columns<W>::truncated(c * scale), sum1 = {};
#pragma GCC unroll 16
  for (int k = 0; k < Steps; k += 2) {
    sum0 += Columns<W>::truncated(a[k] * lines[k] * scale);
    sum1 += Columns<W>::truncated(a[k + 1] * lines[k + 1] * scale);
  }
  const I sum = sum0 + sum1;
  if constexpr (4 * Steps + 2 >= 64) {  // a product is less than 4, C less than 2, of 2^fraction
    const I magnitude = sum < 0 ? -sum : sum;
    seen.overflows |= ((sum0 ^ sum) & (sum1 ^ sum)) | (kMostUnits - magnitude);
  }
  F result = Columns<W>::cut(sum);
  if constexpr (Type == SumType::f16) {  // so that the next rounding sees that there was more
    const I more = Columns<W>::truncated(result) != sum;
    result = reinterpret_cast<F>(reinterpret_cast<I>(result) | (more & 1));
  } else if (rule.kept == 13) {
    result = reinterpret_cast<F>(reinterpret_cast<I>(result) & ~0x3ff);
  }
  result *= reinterpret_cast<F>((largest + (127 - rule.fraction)) << 23);
  if constexpr (Type == SumType::f16) {  // what becomes a zero has no sign
    const F magnitude = reinterpret_cast<F>(reinterpret_cast<I>(result) & 0x7fffffff);
    result = reinterpret_cast<F>(reinterpret_cast<I>(result) & (magnitude > 0x1p-25f));
  }
  return result;
}

/// A fused sum of each of sixteen rows and W columns; false if they are not for here.
template <int W, SumType Type, int Steps, class T, int K>
[[gnu::always_inline]] inline bool card_step(const SumRule& rule, const float (*a)[K], int first,
                                             const typename Columns<W>::F* lines,
                                             const ExponentsA<T, K>& of_a,
                                             const typename ExponentOf<T>::type (*const* of_b)[8],
                                             typename Columns<W>::F* sums) {
  using E = typename ExponentOf<T>::type;
  using I = typename Columns<W>::I;
  alignas(32) E largest[W / 8][16][8];
  for (int part = 0; part < W / 8; ++part) {
    largest_exponents<Steps>(of_a, of_b[part], first, largest[part]);
  }
  Seen<W> seen;
  typename Columns<W>::F results[16];
  for (int m = 0; m < 16; ++m) {
    const I products = Columns<W>::wide(largest[0][m], largest[W / 8 - 1][m]);
    const I exponents = exponents_of_row<W, Type>(products, sums[m], seen);
    results[m] =
        row_sum<W, Type, Steps>(rule, a[m] + first, lines + first, sums[m], exponents, seen);
  }
  if (!seen.starts_fit() || Columns<W>::any(seen.overflows < 0)) return false;
  __builtin_memcpy(sums, results, sizeof results);
  return true;
}

/// All products of sixteen rows and W columns, `at_once` by `at_once`.
template <int W, SumType Type, class T, int K>
inline bool card_steps(const SumRule& rule, const float (*a)[K],
                       const typename Columns<W>::F* lines, const ExponentsA<T, K>& of_a,
                       const typename ExponentOf<T>::type (*const* of_b)[8],
                       typename Columns<W>::F* sums) {
  const int step = rule.at_once == 0 || rule.at_once > K ? K : rule.at_once;
  if (step == K) return card_step<W, Type, K>(rule, a, 0, lines, of_a, of_b, sums);
  for (int first = 0; first < K; first += step) {
    if (step == 8) {
      if constexpr (K > 8) {
        if (!card_step<W, Type, 8>(rule, a, first, lines, of_a, of_b, sums)) return false;
      }
    } else if (step == 4) {
      if (!card_step<W, Type, 4>(rule, a, first, lines, of_a, of_b, sums)) return false;
    } else if (step == 16) {
      if constexpr (K > 16) {
        if (!card_step<W, Type, 16>(rule, a, first, lines, of_a, of_b, sums)) return false;
      }
    } else {
      return false;
    }
    if (Type == SumType::f16 && first + step < K) {
      for (int m = 0; m < 16; ++m) {
        for (int i = 0; i < W / 8; ++i) {
          V8 v;
          u16 halves[8];
          __builtin_memcpy(&v, reinterpret_cast<float*>(&sums[m]) + 8 * i, 32);
          narrow8(v, halves);
          v = widen8<F16>(halves);
          __builtin_memcpy(reinterpret_cast<float*>(&sums[m]) + 8 * i, &v, 32);
        }
      }
    }
  }
  return true;
}

/// True if products of these two are exact in f32, numbers, and within the exponents above.
template <class A, class B>
inline bool products_fit(const A& a, const B& b) {
  return a.most < 128 && b.most < 128 && a.most + b.most <= kMostExponent &&
         a.least + b.least >= kLeastExponent;
}

/// One element at a time.
template <class A, class B, class Sums, int K>
__attribute__((noinline)) void card_block_slowly(const SumRule& rule, std::byte* file, const u32* d,
                                                 const u32* c, const float (*a)[K], const V8* b) {
  alignas(32) float s[16][8] = {};
  for (int m = 0; c && m < 16; ++m) {
    const V8 v = Sums::get(file, c, m / 8, m % 8);
    __builtin_memcpy(s[m], &v, 32);
  }
  const float* lines = reinterpret_cast<const float*>(b);
  for (int m = 0; m < 16; ++m) {
    for (int n = 0; n < 8; ++n) {
      s[m][n] = card_sum<A, B>(rule, sum_type_of<Sums>, a[m], lines + n, 8, K, s[m][n]);
    }
  }
  for (int m = 0; m < 16; ++m) {
    V8 v;
    __builtin_memcpy(&v, s[m], 32);
    Sums::put(file, d, m / 8, m % 8, v);
  }
}

/// D = A · B + C; `d` and `c` are the slots of the sums, `c` null for zeros.
template <class A, class B, class Sums, int K>
__attribute__((noinline)) void card_block(const SumRule& rule, std::byte* file, const u32* d,
                                          const u32* c, const float (*a)[K],
                                          const ExponentsA<A, K>& of_a, const V8* b,
                                          const ExponentsB<B, K>& of_b) {
  if (rule.way == SumRule::Way::fused && products_fit(of_a, of_b)) {
    V8 sums[16] = {};
    for (int m = 0; c && m < 16; ++m) sums[m] = Sums::get(file, c, m / 8, m % 8);
    const typename ExponentOf<B>::type(*exponents[1])[8] = {of_b.of};
    if (card_steps<8, sum_type_of<Sums>>(rule, a, b, of_a, exponents, sums)) {
      for (int m = 0; m < 16; ++m) Sums::put(file, d, m / 8, m % 8, sums[m]);
      return;
    }
  }
  card_block_slowly<A, B, Sums, K>(rule, file, d, c, a, b);
}

#if defined(__AVX512F__)
/// Two of them with the same A, the second of which needs nothing that the first one writes.
template <class A, class B, class Sums, int K>
__attribute__((noinline)) void card_two_blocks(const SumRule& rule, std::byte* file, const u32* d0,
                                               const u32* d1, const u32* c0, const u32* c1,
                                               const float (*a)[K], const ExponentsA<A, K>& of_a,
                                               const V8* b0, const ExponentsB<B, K>& of_b0,
                                               const V8* b1, const ExponentsB<B, K>& of_b1) {
  if (rule.way == SumRule::Way::fused && products_fit(of_a, of_b0) && products_fit(of_a, of_b1)) {
    using F = Columns<16>::F;
    const auto beside = [](V8 x, V8 y) {
      return __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    };
    F sums[16] = {}, lines[K];
    for (int m = 0; c0 && m < 16; ++m) {
      sums[m] = beside(Sums::get(file, c0, m / 8, m % 8), Sums::get(file, c1, m / 8, m % 8));
    }
    for (int k = 0; k < K; ++k) lines[k] = beside(b0[k], b1[k]);
    const typename ExponentOf<B>::type(*exponents[2])[8] = {of_b0.of, of_b1.of};
    if (card_steps<16, sum_type_of<Sums>>(rule, a, lines, of_a, exponents, sums)) {
      for (int m = 0; m < 16; ++m) {
        V8 halves[2];
        __builtin_memcpy(halves, &sums[m], sizeof halves);
        Sums::put(file, d0, m / 8, m % 8, halves[0]);
        Sums::put(file, d1, m / 8, m % 8, halves[1]);
      }
      return;
    }
  }
  card_block<A, B, Sums, K>(rule, file, d0, c0, a, of_a, b0, of_b0);
  card_block<A, B, Sums, K>(rule, file, d1, c1, a, of_a, b1, of_b1);
}
#endif

}  // namespace tilescope::emulator::TILESCOPE_ISA
