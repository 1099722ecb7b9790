// Two f32 in one 64-bit register, as compilers write them for sm_100 and later.
#include "emulator/isa/directed.h"
#include "emulator/isa/reals.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

inline f32 low_of(u64 pair) { return bits_float(static_cast<u32>(pair)); }
inline f32 high_of(u64 pair) { return bits_float(static_cast<u32>(pair >> 32)); }
inline u64 pair_of(f32 low, f32 high) { return u64{float_bits(high)} << 32 | float_bits(low); }

/// Of an operation of f32 that of pairs; `Flush`: .ftz.
template <auto F, bool Flush, class... T>
u64 both(T... pair) {
  if constexpr (Flush) {
    return pair_of(flush(F(flush(low_of(pair))...)), flush(F(flush(high_of(pair))...)));
  } else {
    return pair_of(F(low_of(pair)...), F(high_of(pair)...));
  }
}
constexpr auto kSum = [](f32 a, f32 b) -> f32 { return sum(a, b); };
constexpr auto kDifference = [](f32 a, f32 b) -> f32 { return difference(a, b); };
constexpr auto kProduct = [](f32 a, f32 b) -> f32 { return times(a, b); };
constexpr auto kFused = [](f32 a, f32 b, f32 c) -> f32 { return fused(a, b, c); };

// The rounding may be missing: to nearest.
#define TWO(F, flush) ([](u64 a, u64 b) -> u64 { return both<F, flush>(a, b); })
#define THREE(F, flush) ([](u64 a, u64 b, u64 c) -> u64 { return both<F, flush>(a, b, c); })
#define FORMS(name, rounding, ROW, MAKE, F)        \
  ROW(MAKE(F, false), name " " rounding " f32x2"), \
      ROW(MAKE(F, true), name " " rounding " ftz f32x2")
#define NEAREST(f, pattern) lanes<f>(pattern)
#define TO_ZERO(f, pattern) lanes_rounded<f, FE_TOWARDZERO>(pattern)
#define DOWN(f, pattern) lanes_rounded<f, FE_DOWNWARD>(pattern)
#define UP(f, pattern) lanes_rounded<f, FE_UPWARD>(pattern)
#define ROUNDED(name, MAKE, F)                                               \
  FORMS(name, "rn?", NEAREST, MAKE, F), FORMS(name, "rz", TO_ZERO, MAKE, F), \
      FORMS(name, "rm", DOWN, MAKE, F), FORMS(name, "rp", UP, MAKE, F)

const Row kRows[] = {
    ROUNDED("add", TWO, kSum),
    ROUNDED("sub", TWO, kDifference),
    ROUNDED("mul", TWO, kProduct),
    ROUNDED("fma", THREE, kFused),
};

}  // namespace

RowSpan paired_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
