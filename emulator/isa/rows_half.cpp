// Arithmetic of f16, bf16 and their pairs. add, mul: exact in float but for one rounding that the
// second one cannot spoil (24 ≥ 2·11 + 2 bits). fma: in double, then rounded to odd on the way.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

// Rounds towards zero and sets the last bit if anything was cut off, so that a second rounding to
// fewer bits is right.
inline f32 to_odd(f64 a) {
  f32 f = static_cast<f32>(a);
  if (static_cast<f64>(f) == a || a != a || __builtin_isinf(f)) return f;
  u32 bits = float_bits(f);
  if (__builtin_fabs(static_cast<f64>(f)) > __builtin_fabs(a)) --bits;
  return bits_float(bits | 1u);
}
struct F16 {
  static f32 wide(u16 h) { return half_to_float(h); }
  static u16 narrow(f32 f) { return float_to_half(f); }
};
struct Bf16 {
  static f32 wide(u16 h) { return bfloat_to_float(h); }
  static u16 narrow(f32 f) { return float_to_bfloat(f); }
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
  static f32 apply(f32 a, f32 b) {
    return b != b ? a : a != a ? b : a < b || (a == b && __builtin_signbit(a)) ? a : b;
  }
};
struct Max {
  static f32 apply(f32 a, f32 b) {
    return b != b ? a : a != a ? b : a > b || (a == b && __builtin_signbit(b)) ? a : b;
  }
};
template <class H, class Op>
u16 two(u16 a, u16 b) {
  return H::narrow(Op::apply(H::wide(a), H::wide(b)));
}
template <class H>
u16 fused(u16 a, u16 b, u16 c) {
  return H::narrow(to_odd(static_cast<f64>(H::wide(a)) * H::wide(b) + H::wide(c)));
}
template <class H, class Op>
u32 two_pair(u32 a, u32 b) {
  return two<H, Op>(static_cast<u16>(a), static_cast<u16>(b)) |
         static_cast<u32>(two<H, Op>(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16))) << 16;
}
template <class H>
u32 fused_pair(u32 a, u32 b, u32 c) {
  return fused<H>(static_cast<u16>(a), static_cast<u16>(b), static_cast<u16>(c)) |
         static_cast<u32>(fused<H>(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16),
                                   static_cast<u16>(c >> 16)))
             << 16;
}

#define HALF_TWO(H, Op, name, type)                                                           \
  lanes<[](u16 a, u16 b) -> u16 { return two<H, Op>(a, b); }>(name " rn? ftz? noftz? " type), \
      lanes<[](u32 a, u32 b) -> u32 { return two_pair<H, Op>(a, b); }>(                       \
          name " rn? ftz? noftz? " type "x2")
#define HALF_ROWS(H, type)                                                                         \
  HALF_TWO(H, Add, "add", type), HALF_TWO(H, Sub, "sub", type), HALF_TWO(H, Mul, "mul", type),     \
      HALF_TWO(H, Min, "min", type), HALF_TWO(H, Max, "max", type),                                \
      lanes<[](u16 a, u16 b, u16 c) -> u16 { return fused<H>(a, b, c); }>("fma rn ftz? " type),    \
      lanes<[](u32 a, u32 b, u32 c) -> u32 { return fused_pair<H>(a, b, c); }>("fma rn ftz? " type \
                                                                               "x2"),              \
      lanes<[](u16 a) -> u16 { return static_cast<u16>(a ^ 0x8000u); }>("neg ftz? " type),         \
      lanes<[](u32 a) -> u32 { return a ^ 0x80008000u; }>("neg ftz? " type "x2"),                  \
      lanes<[](u16 a) -> u16 { return static_cast<u16>(a & 0x7fffu); }>("abs ftz? " type),         \
      lanes<[](u32 a) -> u32 { return a & 0x7fff7fffu; }>("abs ftz? " type "x2")

const Row kRows[] = {
    HALF_ROWS(F16, "f16"),
    HALF_ROWS(Bf16, "bf16"),
};

}  // namespace

RowSpan half_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
