// Arithmetic of f16, bf16 and their pairs. add, sub, mul: exact in f32 but for one rounding that
// the second one cannot spoil (24 ≥ 2·11 + 2 bits). fma: in f64, then rounded to odd on the way.
#include "emulator/isa/reals.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

// Rounds towards zero and sets the last bit if anything was cut off, so that a second rounding to
// fewer bits is right.
inline f32 to_odd(f64 a) {
  f32 f = static_cast<f32>(a);
  if (static_cast<f64>(f) == a || a != a) return f;
  if (__builtin_isinf(f)) return __builtin_copysignf(0x1.fffffep127f, f);
  u32 bits = float_bits(f);
  if (__builtin_fabs(static_cast<f64>(f)) > __builtin_fabs(a)) --bits;
  return bits_float(bits | 1u);
}
// a·b + c rounded to odd in f64: the product is exact there, the sum may not be (bf16).
inline f64 sum_to_odd(f64 product, f64 c) {
  const f64 sum = product + c, t = sum - product;
  const f64 error = (product - (sum - t)) + (c - t);
  if (error == 0 || error != error || __builtin_isinf(sum)) return sum;
  const u64 bits = __builtin_bit_cast(u64, sum);
  if (bits & 1) return sum;
  const bool outward = (error > 0) == (sum > 0);  // the exact value lies beyond the sum
  return __builtin_bit_cast(f64, outward ? bits | 1 : bits - 1);
}

struct F16 {
  static f32 wide(u16 h) { return half_to_float(h); }
  static u16 narrow(f32 f) { return f == f ? float_to_half(f) : u16{0x7fff}; }
  static constexpr u16 exponent = 0x7c00;
};
struct Bf16 {
  static f32 wide(u16 h) { return bfloat_to_float(h); }
  static u16 narrow(f32 f) { return float_to_bfloat(f); }
  static constexpr u16 exponent = 0x7f80;
};
template <class H>
u16 flushed(u16 h) {  // of bf16 only ex2 has .ftz
  return (h & H::exponent) == 0 ? static_cast<u16>(h & 0x8000u) : h;
}
struct Plain {
  static f32 apply(f32 a) { return a; }
};
struct Saturated {
  static f32 apply(f32 a) { return saturate(a); }
};
struct Rectified {  // .relu: a negative result becomes 0; a NaN stays
  static f32 apply(f32 a) { return a < 0 || (a == 0 && __builtin_signbit(a)) ? 0.0f : a; }
};

struct Add {
  static f32 apply(f32 a, f32 b) { return a + b; }
};
struct Sub {
  static f32 apply(f32 a, f32 b) { return a - b; }
};
struct Mul {
  static f32 apply(f32 a, f32 b) { return a * b; }
};
struct Min {
  static f32 apply(f32 a, f32 b) { return minimum(a, b); }
};
struct Max {
  static f32 apply(f32 a, f32 b) { return maximum(a, b); }
};
template <class Op>
struct OrNan {
  static f32 apply(f32 a, f32 b) { return a != a || b != b ? __builtin_nanf("") : Op::apply(a, b); }
};
template <class Op>
struct XorSign {
  static f32 apply(f32 a, f32 b) {
    const f32 m = Op::apply(__builtin_fabsf(a), __builtin_fabsf(b));
    if (m != m) return m;
    const bool negative = bool(__builtin_signbit(a)) != bool(__builtin_signbit(b));
    return __builtin_copysignf(m, negative ? -1.0f : 1.0f);
  }
};
struct Exponential {
  static f32 apply(f32 a) { return __builtin_exp2f(a); }
};
struct Tangent {
  static f32 apply(f32 a) { return __builtin_tanhf(a); }
};

template <class H, class Op, class After, bool Ftz>
u16 two(u16 a, u16 b) {
  if constexpr (Ftz) a = flushed<H>(a), b = flushed<H>(b);
  const u16 r = H::narrow(After::apply(Op::apply(H::wide(a), H::wide(b))));
  return Ftz ? flushed<H>(r) : r;
}
template <class H, class After, bool Ftz>
u16 fused(u16 a, u16 b, u16 c) {
  if constexpr (Ftz) a = flushed<H>(a), b = flushed<H>(b), c = flushed<H>(c);
  const f64 sum = sum_to_odd(static_cast<f64>(H::wide(a)) * H::wide(b), H::wide(c));
  const u16 r = H::narrow(After::apply(to_odd(sum)));
  return Ftz ? flushed<H>(r) : r;
}
template <class H, class Op, bool Ftz>
u16 one(u16 a) {
  if constexpr (Ftz) a = flushed<H>(a);
  const u16 r = H::narrow(Op::apply(H::wide(a)));
  return Ftz ? flushed<H>(r) : r;
}
/// A function of halves on both halves of registers.
template <auto F, class... S>
u32 pair(S... s) {
  return F(static_cast<u16>(s)...) | static_cast<u32>(F(static_cast<u16>(s >> 16)...)) << 16;
}

#define BOTH2(F, name, type)                                         \
  lanes<[](u16 a, u16 b) -> u16 { return F(a, b); }>(name " " type), \
      lanes<[](u32 a, u32 b) -> u32 { return pair<F>(a, b); }>(name " " type "x2")
#define BOTH3(F, name, type)                                                         \
  lanes<[](u16 a, u16 b, u16 c) -> u16 { return F(a, b, c); }>(name " " type, kFma), \
      lanes<[](u32 a, u32 b, u32 c) -> u32 { return pair<F>(a, b, c); }>(name " " type "x2", kFma)
#define BOTH1(F, name, type)                               \
  lanes<[](u16 a) -> u16 { return F(a); }>(name " " type), \
      lanes<[](u32 a) -> u32 { return pair<F>(a); }>(name " " type "x2")
#define SUM(H, Op, name, type)                                      \
  BOTH2((two<H, Op, Plain, false>), name " rn? noftz?", type),      \
      BOTH2((two<H, Op, Saturated, false>), name " rn? sat", type), \
      BOTH2((two<H, Op, Plain, true>), name " rn? ftz", type),      \
      BOTH2((two<H, Op, Saturated, true>), name " rn? ftz sat", type)
#define EXTREME(H, Op, name, type)                                                      \
  BOTH2((two<H, Op, Plain, false>), name, type),                                        \
      BOTH2((two<H, Op, Plain, true>), name " ftz", type),                              \
      BOTH2((two<H, OrNan<Op>, Plain, false>), name " NaN", type),                      \
      BOTH2((two<H, OrNan<Op>, Plain, true>), name " ftz NaN", type),                   \
      BOTH2((two<H, XorSign<Op>, Plain, false>), name " xorsign abs", type),            \
      BOTH2((two<H, XorSign<Op>, Plain, true>), name " ftz xorsign abs", type),         \
      BOTH2((two<H, XorSign<OrNan<Op>>, Plain, false>), name " NaN xorsign abs", type), \
      BOTH2((two<H, XorSign<OrNan<Op>>, Plain, true>), name " ftz NaN xorsign abs", type)
#define FUSED(H, type)                                            \
  BOTH3((fused<H, Plain, false>), "fma rn", type),                \
      BOTH3((fused<H, Saturated, false>), "fma rn sat", type),    \
      BOTH3((fused<H, Rectified, false>), "fma rn relu", type),   \
      BOTH3((fused<H, Plain, true>), "fma rn ftz", type),         \
      BOTH3((fused<H, Saturated, true>), "fma rn ftz sat", type), \
      BOTH3((fused<H, Rectified, true>), "fma rn ftz relu", type)

constexpr RowKind kFma = RowKind::fma;
u16 negated(u16 a) { return static_cast<u16>(a ^ 0x8000u); }
u16 magnitude(u16 a) { return static_cast<u16>(a & 0x7fffu); }
u16 negated_flushed(u16 a) { return negated(flushed<F16>(a)); }
u16 magnitude_flushed(u16 a) { return magnitude(flushed<F16>(a)); }

#define HALF_ROWS(H, type)                                                        \
  SUM(H, Add, "add", type), SUM(H, Sub, "sub", type), SUM(H, Mul, "mul", type),   \
      EXTREME(H, Min, "min", type), EXTREME(H, Max, "max", type), FUSED(H, type), \
      BOTH1(negated, "neg", type), BOTH1(negated_flushed, "neg ftz", type),       \
      BOTH1(magnitude, "abs", type), BOTH1(magnitude_flushed, "abs ftz", type),   \
      BOTH1((one<H, Tangent, false>), "tanh approx", type)

const Row kRows[] = {
    HALF_ROWS(F16, "f16"),
    HALF_ROWS(Bf16, "bf16"),
    BOTH1((one<F16, Exponential, false>), "ex2 approx", "f16"),
    BOTH1((one<F16, Exponential, true>), "ex2 approx ftz", "f16"),
    BOTH1((one<Bf16, Exponential, true>), "ex2 approx ftz", "bf16"),
};

}  // namespace

RowSpan half_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
