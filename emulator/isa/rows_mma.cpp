// mma.sync of every dense shape and type but those of rows_mma_real.cpp, which are faster.
#include "emulator/isa/product.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

// The ISA lets .rnd stand on either side of the types.
#define DOUBLE(m, k, rnd, mode)                                                                \
  product_row<MmaA<F64, m, k>, MmaB<F64, k>, MmaC<F64, m>, MmaC<F64, m>, DoubleSum<mode>>(     \
      "mma sync aligned m" #m "n8k" #k " row col " rnd " f64 f64 f64 f64"),                    \
      product_row<MmaA<F64, m, k>, MmaB<F64, k>, MmaC<F64, m>, MmaC<F64, m>, DoubleSum<mode>>( \
          "mma sync aligned m" #m "n8k" #k " row col f64 f64 f64 f64 " rnd)
#define DOUBLES(m, k)                                                   \
  DOUBLE(m, k, "rn?", FE_TONEAREST), DOUBLE(m, k, "rz", FE_TOWARDZERO), \
      DOUBLE(m, k, "rm", FE_DOWNWARD), DOUBLE(m, k, "rp", FE_UPWARD)

#define QUAD(a_layout, b_layout, A, B, d_type, c_type, D, C)                            \
  product_row<QuadA<A>, QuadB<B>, QuadC<C>, QuadC<D>, RealSum<SumFamily::mma_quad>, 4>( \
      "mma sync aligned m8n8k4 " a_layout " " b_layout " " d_type " f16 f16 " c_type)
#define QUADS(a_layout, b_layout, A, B)                       \
  QUAD(a_layout, b_layout, A, B, "f16", "f16", F16, F16),     \
      QUAD(a_layout, b_layout, A, B, "f32", "f16", F32, F16), \
      QUAD(a_layout, b_layout, A, B, "f32", "f32", F32, F32)

#define REAL8(k, a, b, A, B)                                                                      \
  product_row<MmaA<A, 16, k>, MmaB<B, k>, MmaC<F32, 16>, MmaC<F32, 16>,                           \
              RealSum<SumFamily::mma_8>>("mma sync aligned m16n8k" #k " row col f32 " a " " b     \
                                         " f32"),                                                 \
      product_row<MmaA<A, 16, k>, MmaB<B, k>, MmaC<F16, 16>, MmaC<F16, 16>,                       \
                  RealSum<SumFamily::mma_8>>("mma sync aligned m16n8k" #k " row col f16 " a " " b \
                                             " f16")
#define REALS8(k)                                                             \
  REAL8(k, "e4m3", "e4m3", E4m3, E4m3), REAL8(k, "e4m3", "e5m2", E4m3, E5m2), \
      REAL8(k, "e5m2", "e4m3", E5m2, E4m3), REAL8(k, "e5m2", "e5m2", E5m2, E5m2)

#define INTEGER(m, k, a, b, A, B)                                                           \
  product_row<MmaA<A, m, k>, MmaB<B, k>, MmaC<S32, m>, MmaC<S32, m>, IntegerSum<false>>(    \
      "mma sync aligned m" #m "n8k" #k " row col s32 " a " " b " s32"),                     \
      product_row<MmaA<A, m, k>, MmaB<B, k>, MmaC<S32, m>, MmaC<S32, m>, IntegerSum<true>>( \
          "mma sync aligned m" #m "n8k" #k " row col satfinite s32 " a " " b " s32")
#define INTEGERS(m, k, s, u, S, U)                                                 \
  INTEGER(m, k, s, s, S, S), INTEGER(m, k, s, u, S, U), INTEGER(m, k, u, s, U, S), \
      INTEGER(m, k, u, u, U, U)

// K of the fragments in words of 32 bits.
#define BITS(m, k)                                                                               \
  product_row<MmaA<B1x32, m, k / 32>, MmaB<B1x32, k / 32>, MmaC<S32, m>, MmaC<S32, m>,           \
              BitSum<true>>("mma sync aligned m" #m "n8k" #k " row col s32 b1 b1 s32 xor popc"), \
      product_row<MmaA<B1x32, m, k / 32>, MmaB<B1x32, k / 32>, MmaC<S32, m>, MmaC<S32, m>,       \
                  BitSum<false>>("mma sync aligned m" #m "n8k" #k                                \
                                 " row col s32 b1 b1 s32 and popc")

const Row kRows[] = {
    QUADS("row", "row", false, false),
    QUADS("row", "col", false, true),
    QUADS("col", "row", true, false),
    QUADS("col", "col", true, true),
    DOUBLES(8, 4),
    DOUBLES(16, 4),
    DOUBLES(16, 8),
    DOUBLES(16, 16),
    REALS8(16),
    REALS8(32),
    INTEGERS(8, 16, "s8", "u8", S8, U8),
    INTEGERS(16, 16, "s8", "u8", S8, U8),
    INTEGERS(16, 32, "s8", "u8", S8, U8),
    INTEGERS(8, 32, "s4", "u4", S4, U4),
    INTEGERS(16, 32, "s4", "u4", S4, U4),
    INTEGERS(16, 64, "s4", "u4", S4, U4),
    BITS(8, 128),
    BITS(16, 128),
    BITS(16, 256),
};

}  // namespace

RowSpan mma_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
