// Arithmetic of f32 and f64. The approximate functions use the host's exact ones.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

enum class Rounding { zero, down, up };

inline f32 flush(f32 a) {  // .ftz: a subnormal becomes a zero of its sign
  const u32 bits = float_bits(a);
  return bits_float((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
inline f32 saturate(f32 a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }  // NaN → 0
inline f64 saturate(f64 a) { return a > 0.0 ? (a < 1.0 ? a : 1.0) : 0.0; }

// hi + lo, |lo| below half a unit of hi's last place, rounded once in the given direction.
template <Rounding R>
f32 round_directed(f64 hi, f64 lo) {
  const f32 nearest = static_cast<f32>(hi);
  if (!(__builtin_fabs(hi) <= 0x1.fffffep127)) return nearest;
  const f64 error =
      (hi - static_cast<f64>(nearest)) + lo;  // exact value − nearest: its sign counts
  const bool up = error > 0 && (R == Rounding::up || (R == Rounding::zero && nearest < 0));
  const bool down = error < 0 && (R == Rounding::down || (R == Rounding::zero && nearest > 0));
  if (up) return __builtin_nextafterf(nearest, __builtin_inff());
  if (down) return __builtin_nextafterf(nearest, -__builtin_inff());
  return nearest;
}
template <Rounding R>
f32 fma_directed(f32 a, f32 b, f32 c) {
  const f64 p = static_cast<f64>(a) * b;  // exact
  const f64 s = p + c, t = s - p;
  const f64 error = (p - (s - t)) + (static_cast<f64>(c) - t);  // TwoSum
  return round_directed<R>(s, error == error ? error : 0);
}
template <class T>
T minimum(T a, T b) {  // NaN is dropped, −0 below +0
  if (b != b) return a;
  if (a != a) return b;
  return a < b || (a == b && __builtin_signbit(a)) ? a : b;
}
template <class T>
T maximum(T a, T b) {
  if (b != b) return a;
  if (a != a) return b;
  return a > b || (a == b && __builtin_signbit(b)) ? a : b;
}

#define TWO(name, e)                                                                             \
  lanes<[](f32 a, f32 b) -> f32 { return e; }>(name " rn? f32"), lanes<[](f32 x, f32 y) -> f32 { \
    const f32 a = flush(x), b = flush(y);                                                        \
    return flush(e);                                                                             \
  }>(name " rn? ftz f32"),                                                                       \
      lanes<[](f32 a, f32 b) -> f32 { return saturate(e); }>(name " rn? sat f32"),               \
      lanes<[](f64 a, f64 b) -> f64 { return e; }>(name " rn? f64")
#define DIRECTED(mode, R)                                                                          \
  lanes<[](f32 a, f32 b) -> f32 { return fma_directed<R>(a, 1.0f, b); }>("add " mode " f32"),      \
      lanes<[](f32 a, f32 b) -> f32 { return fma_directed<R>(a, 1.0f, -b); }>("sub " mode " f32"), \
      lanes<[](f32 a, f32 b) -> f32 { return round_directed<R>(static_cast<f64>(a) * b, 0); }>(    \
          "mul " mode " f32"),                                                                     \
      lanes<[](f32 a, f32 b, f32 c) -> f32 { return fma_directed<R>(a, b, c); }>(                  \
          "fma " mode " f32", RowKind::fma)
#define ONE(pattern32, pattern64, e32, e64)                                           \
  lanes<[](f32 a) -> f32 { return e32; }>(pattern32 " f32"), lanes<[](f32 x) -> f32 { \
    const f32 a = flush(x);                                                           \
    return flush(e32);                                                                \
  }>(pattern32 " ftz f32"),                                                           \
      lanes<[](f64 a) -> f64 { return e64; }>(pattern64 " f64")

const Row kRows[] = {
    lanes<[](f32 a, f32 b, f32 c) -> f32 { return __builtin_fmaf(a, b, c); }>("fma|mad rn? f32",
                                                                              RowKind::fma),
    lanes<[](f32 a, f32 b, f32 c) -> f32 {
      return flush(__builtin_fmaf(flush(a), flush(b), flush(c)));
    }>("fma|mad rn? ftz f32", RowKind::fma),
    lanes<[](f32 a, f32 b, f32 c) -> f32 { return saturate(__builtin_fmaf(a, b, c)); }>(
        "fma|mad rn? sat f32", RowKind::fma),
    lanes<[](f64 a, f64 b, f64 c) -> f64 { return __builtin_fma(a, b, c); }>("fma|mad rn? f64",
                                                                             RowKind::fma),
    TWO("add", a + b),
    TWO("sub", a - b),
    TWO("mul", a* b),
    DIRECTED("rz", Rounding::zero),
    DIRECTED("rm", Rounding::down),
    DIRECTED("rp", Rounding::up),
    TWO("div", a / b),
    lanes<[](f32 a, f32 b) -> f32 { return a / b; }>("div approx|full f32"),
    lanes<[](f32 a, f32 b) -> f32 { return flush(flush(a) / flush(b)); }>(
        "div approx|full ftz f32"),
    ONE("neg", "neg", -a, -a),
    ONE("abs", "abs", __builtin_fabsf(a), __builtin_fabs(a)),
    ONE("sqrt rn|approx", "sqrt rn", __builtin_sqrtf(a), __builtin_sqrt(a)),
    ONE("rcp rn|approx", "rcp rn", 1.0f / a, 1.0 / a),
    ONE("rsqrt approx", "rsqrt approx", 1.0f / __builtin_sqrtf(a), 1.0 / __builtin_sqrt(a)),
    lanes<[](f64 a) -> f64 { return 1.0 / a; }>("rcp approx ftz f64"),
    lanes<[](f32 a) -> f32 { return __builtin_exp2f(a); }>("ex2 approx f32"),
    lanes<[](f32 a) -> f32 { return flush(__builtin_exp2f(flush(a))); }>("ex2 approx ftz f32"),
    lanes<[](f32 a) -> f32 { return __builtin_log2f(a); }>("lg2 approx f32"),
    lanes<[](f32 a) -> f32 { return flush(__builtin_log2f(flush(a))); }>("lg2 approx ftz f32"),
    lanes<[](f32 a) -> f32 { return __builtin_sinf(a); }>("sin approx ftz? f32"),
    lanes<[](f32 a) -> f32 { return __builtin_cosf(a); }>("cos approx ftz? f32"),
    lanes<[](f32 a) -> f32 { return __builtin_tanhf(a); }>("tanh approx f32"),
    lanes<[](f32 a, f32 b) -> f32 { return minimum(a, b); }>("min f32"),
    lanes<[](f32 a, f32 b) -> f32 { return minimum(flush(a), flush(b)); }>("min ftz f32"),
    lanes<[](f32 a, f32 b) -> f32 {
      return a != a || b != b ? bits_float(0x7fffffffu) : minimum(a, b);
    }>("min NaN f32"),
    lanes<[](f64 a, f64 b) -> f64 { return minimum(a, b); }>("min f64"),
    lanes<[](f32 a, f32 b) -> f32 { return maximum(a, b); }>("max f32"),
    lanes<[](f32 a, f32 b) -> f32 { return maximum(flush(a), flush(b)); }>("max ftz f32"),
    lanes<[](f32 a, f32 b) -> f32 {
      return a != a || b != b ? bits_float(0x7fffffffu) : maximum(a, b);
    }>("max NaN f32"),
    lanes<[](f64 a, f64 b) -> f64 { return maximum(a, b); }>("max f64"),
};

}  // namespace

RowSpan float_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
