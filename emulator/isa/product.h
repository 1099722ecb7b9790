// D = A · B + C of fragments: gathered into dense matrices, multiplied, scattered. How results are
// rounded, which the PTX ISA leaves open for floating point:
//   f16, bf16, tf32, fp8   as an architecture does (card_sum.h), or starting from C, one fused
//   multiply-add in f32 per k, k ascending;
//                          f16 results are rounded once, from that f32
//   f64                    starting from C, fused multiply-adds in ascending k, each rounded as
//   .rnd integers, b1           exact; C + sum wraps around, or is clamped with .satfinite
#pragma once
#include <cfenv>

#include "emulator/isa/card_sum.h"
#include "emulator/isa/directed.h"
#include "emulator/isa/lanes.h"
#include "emulator/isa/mma_fragment.h"

namespace tilescope::emulator::TILESCOPE_ISA {

typedef float V8 __attribute__((vector_size(32)));

inline V8 multiply_add(float a, V8 b, V8 c) {
#if defined(__FMA__)
  return _mm256_fmadd_ps(_mm256_set1_ps(a), b, c);
#else  // the product of two elements is exact: the same result
  return a * b + c;
#endif
}

// d += a · b; d is [M][N] in vectors of eight columns. Eight sums at a time keep both multipliers
// busy, and fit the registers.
template <int M, int N, int K>
inline void multiply(const float (*a)[K], const float (*b)[N], V8* d) {
  constexpr int line = N / 8;
  for (int m = 0; m < M; m += 8) {
    for (int n = 0; n < line; ++n) {
      V8* s = d + m * line + n;
      V8 s0 = s[0], s1 = s[line], s2 = s[2 * line], s3 = s[3 * line];
      V8 s4 = s[4 * line], s5 = s[5 * line], s6 = s[6 * line], s7 = s[7 * line];
      for (int k = 0; k < K; ++k) {
        V8 row;
        __builtin_memcpy(&row, b[k] + 8 * n, 32);
        s0 = multiply_add(a[m][k], row, s0);
        s1 = multiply_add(a[m + 1][k], row, s1);
        s2 = multiply_add(a[m + 2][k], row, s2);
        s3 = multiply_add(a[m + 3][k], row, s3);
        s4 = multiply_add(a[m + 4][k], row, s4);
        s5 = multiply_add(a[m + 5][k], row, s5);
        s6 = multiply_add(a[m + 6][k], row, s6);
        s7 = multiply_add(a[m + 7][k], row, s7);
      }
      s[0] = s0, s[line] = s1, s[2 * line] = s2, s[3 * line] = s3;
      s[4 * line] = s4, s[5 * line] = s5, s[6 * line] = s6, s[7 * line] = s7;
    }
  }
}

template <class F>
__attribute__((noinline)) void gather(const Context& c, const u32* registers,
                                      typename F::Value* dense) {
  using T = typename F::Type;
  for (int r = 0; r < F::distinct; ++r) {
    if constexpr (T::bits == 64) {
      const f64* slot = reinterpret_cast<const f64*>(c.registers + registers[r]);
      for (int lane = 0; lane < 32; ++lane) dense[F::index.of[r][lane][0]] = slot[lane];
    } else {
      const u32* slot = reinterpret_cast<const u32*>(c.registers + registers[r]);
      for (int lane = 0; lane < 32; ++lane) {
        for (int p = 0; p < F::packed; ++p) {
          const u32 element =
              T::bits == 32 ? slot[lane] : (slot[lane] >> (p * T::bits)) & ((1ull << T::bits) - 1);
          dense[F::index.of[r][lane][p]] = T::widen(element);
        }
      }
    }
  }
}

template <class F>
__attribute__((noinline)) void scatter(Context& c, const u32* registers,
                                       const typename F::Value* dense) {
  using T = typename F::Type;
  for (int r = 0; r < F::registers; ++r) {
    if constexpr (T::bits == 64) {
      f64* slot = reinterpret_cast<f64*>(c.registers + registers[r]);
      for (int lane = 0; lane < 32; ++lane) slot[lane] = dense[F::index.of[r][lane][0]];
    } else {
      u32* slot = reinterpret_cast<u32*>(c.registers + registers[r]);
      for (int lane = 0; lane < 32; ++lane) {
        u32 word = 0;
        for (int p = 0; p < F::packed; ++p) {
          word |= T::narrow(dense[F::index.of[r][lane][p]]) << (p * (T::bits & 31));
        }
        slot[lane] = word;
      }
    }
  }
}

// Arithmetics: run<M, N, K>(a, b, c) leaves the result in c.

struct AnyRealSum {
  template <int M, int N, int K>
  static void run(const f32* a, const f32* b, f32* c) {
    multiply<M, N, K>(reinterpret_cast<const f32(*)[K]>(a), reinterpret_cast<const f32(*)[N]>(b),
                      reinterpret_cast<V8*>(c));
  }
};
/// What differs from card to card.
template <SumFamily Family>
struct RealSum : AnyRealSum {
  static constexpr SumFamily family = Family;
};

/// D and C of a product of reals that is summed by an architecture's rule.
template <class A, class B, bool Half, int M, int N, int K>
__attribute__((noinline)) void card_product(const SumRule& rule, const f32* a, const f32* b,
                                            f32* c) {
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      c[m * N + n] = card_sum<A, B>(rule, Half ? SumType::f16 : SumType::f32, a + m * K, b + n, N,
                                    K, c[m * N + n]);
    }
  }
}

template <bool Saturate>
struct IntegerSum {
  template <int M, int N, int K>
  static void run(const f32* a, const f32* b, s32* c) {
    alignas(32) f32 sums[M * N] = {};
    AnyRealSum::run<M, N, K>(a, b, sums);
    for (int i = 0; i < M * N; ++i) c[i] = add(c[i], static_cast<s32>(sums[i]));
  }
  static s32 add(s32 a, s32 b) {
    if (!Saturate) return static_cast<s32>(static_cast<u32>(a) + static_cast<u32>(b));
    const s64 sum = s64{a} + b;
    return static_cast<s32>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
};

template <bool Xor>
struct BitSum {
  template <int M, int N, int K>
  static void run(const u32* a, const u32* b, s32* c) {
    for (int m = 0; m < M; ++m) {
      for (int n = 0; n < N; ++n) {
        u32 sum = static_cast<u32>(c[m * N + n]);
        for (int k = 0; k < K; ++k) {
          const u32 x = a[m * K + k], y = b[k * N + n];
          sum += static_cast<u32>(__builtin_popcount(Xor ? x ^ y : x & y));
        }
        c[m * N + n] = static_cast<s32>(sum);
      }
    }
  }
};

template <int Mode>
struct DoubleSum {
  template <int M, int N, int K>
  static void run(const f64* a, const f64* b, f64* c) {
    if (Mode != FE_TONEAREST) set_rounding(Mode);
    asm volatile("" ::: "memory");  // the sums stay between the two switches
    sums<M, N, K>(a, b, c);
    asm volatile("" ::: "memory");
    if (Mode != FE_TONEAREST) set_rounding(FE_TONEAREST);
  }
  template <int M, int N, int K>
  __attribute__((noinline)) static void sums(const f64* a, const f64* b, f64* c) {
    for (int m = 0; m < M; ++m) {
      for (int k = 0; k < K; ++k) {
        const f64 x = a[m * K + k];
        for (int n = 0; n < N; ++n) c[m * N + n] = fused(x, b[k * N + n], c[m * N + n]);
      }
    }
  }
};

template <int Products, class A, class B, class C, class D, class Arithmetic>
void product(Context& c, const Inst& in) {
  constexpr int m = A::rows / Products, k = A::cols, n = B::cols;
  static_assert(B::rows == k * Products && C::rows == A::rows && C::cols == n);
  static_assert(D::rows == C::rows && D::cols == n);
  need_whole_warp(c, in, "a matrix product");
  const u32* r = c.lists + in.list;
  alignas(32) typename A::Value a[A::rows * k];
  alignas(32) typename B::Value b[B::rows * n];
  alignas(32) typename C::Value d[C::rows * n];
  gather<A>(c, r + D::registers, a);
  gather<B>(c, r + D::registers + A::registers, b);
  gather<C>(c, r + D::registers + A::registers + B::registers, d);
  if constexpr (std::is_base_of_v<AnyRealSum, Arithmetic>) {
    if (const SumRule* rule = rule_of(c, Arithmetic::family)) {
      constexpr bool half = C::Type::bits == 16 && D::Type::bits == 16;
      for (int p = 0; p < Products; ++p) {
        card_product<typename A::Type, typename B::Type, half, m, n, k>(
            *rule, a + p * m * k, b + p * k * n, d + p * m * n);
      }
      return scatter<D>(c, r, d);
    }
  }
  for (int p = 0; p < Products; ++p) {
    Arithmetic::template run<m, n, k>(a + p * m * k, b + p * k * n, d + p * m * n);
  }
  scatter<D>(c, r, d);
}

/// "F4r4r2f4": registers of D, A, B and C.
template <class D, class A, class B, class C>
struct ProductLetters {
  template <class F>
  static constexpr char count = static_cast<char>('0' + F::registers);
  static constexpr char text[] = {D::Type::letter - 32,
                                  count<D>,
                                  A::Type::letter,
                                  count<A>,
                                  B::Type::letter,
                                  count<B>,
                                  C::Type::letter,
                                  count<C>,
                                  '\0'};
};
template <class A, class B, class C, class D, class Arithmetic, int Products = 1>
constexpr Row product_row(const char* pattern) {
  Row row = warp_row(pattern, ProductLetters<D, A, B, C>::text,
                     &product<Products, A, B, C, D, Arithmetic>, RowKind::mma);
  if constexpr (std::is_base_of_v<AnyRealSum, Arithmetic>) row.sums = Arithmetic::family;
  return row;
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
