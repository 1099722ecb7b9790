// wmma.mma. The fragments do not depend on the layouts of A and B, so the rows do not either.
#include "emulator/isa/product.h"
#include "emulator/isa/tables.h"
#include "emulator/isa/wmma_fragment.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

#define WMMA "wmma mma sync aligned row|col row|col "

#define HALF(m, n, d_type, c_type, D, C)                                \
  product_row<WmmaF16A<m>, WmmaF16B<n>, WmmaC<C, m, n>, WmmaC<D, m, n>, \
              RealSum<SumFamily::mma_16>>(WMMA "m" #m "n" #n "k16 " d_type " " c_type)
#define BYTE(m, n, type, T)                                                             \
  product_row<WmmaByteA<T, m>, WmmaByteB<T, n>, WmmaC<S32, m, n>, WmmaC<S32, m, n>,     \
              IntegerSum<false>>(WMMA "m" #m "n" #n "k16 s32 " type " " type " s32"),   \
      product_row<WmmaByteA<T, m>, WmmaByteB<T, n>, WmmaC<S32, m, n>, WmmaC<S32, m, n>, \
                  IntegerSum<true>>(WMMA "m" #m "n" #n "k16 s32 " type " " type " s32 satfinite")
#define SHAPE(m, n)                                                                        \
  HALF(m, n, "f16", "f16", F16, F16), HALF(m, n, "f16", "f32", F16, F32),                  \
      HALF(m, n, "f32", "f16", F32, F16), HALF(m, n, "f32", "f32", F32, F32),              \
      product_row<WmmaBf16A<m>, WmmaBf16B<n>, WmmaC<F32, m, n>, WmmaC<F32, m, n>,          \
                  RealSum<SumFamily::mma_16>>(WMMA "m" #m "n" #n "k16 f32 bf16 bf16 f32"), \
      BYTE(m, n, "s8", S8), BYTE(m, n, "u8", U8)
#define DOUBLE(rnd, mode)                                                                      \
  product_row<MmaA<F64, 8, 4>, MmaB<F64, 4>, MmaC<F64, 8>, MmaC<F64, 8>, DoubleSum<mode>>(     \
      WMMA "m8n8k4 " rnd " f64 f64 f64 f64"),                                                  \
      product_row<MmaA<F64, 8, 4>, MmaB<F64, 4>, MmaC<F64, 8>, MmaC<F64, 8>, DoubleSum<mode>>( \
          WMMA "m8n8k4 f64 f64 f64 f64 " rnd)
#define NIBBLE(type, T)                                                                       \
  product_row<MmaA<T, 8, 32>, MmaB<T, 32>, MmaC<S32, 8>, MmaC<S32, 8>, IntegerSum<false>>(    \
      "wmma mma sync aligned row col m8n8k32 s32 " type " " type " s32"),                     \
      product_row<MmaA<T, 8, 32>, MmaB<T, 32>, MmaC<S32, 8>, MmaC<S32, 8>, IntegerSum<true>>( \
          "wmma mma sync aligned row col m8n8k32 s32 " type " " type " s32 satfinite")
#define BIT(operation, Exclusive)                                                                \
  product_row<MmaA<B1x32, 8, 4>, MmaB<B1x32, 4>, MmaC<S32, 8>, MmaC<S32, 8>, BitSum<Exclusive>>( \
      "wmma mma " operation " popc sync aligned row col m8n8k128 s32 b1 b1 s32")

const Row kRows[] = {
    SHAPE(16, 16),
    SHAPE(32, 8),
    SHAPE(8, 32),
    product_row<WmmaTf32A, WmmaTf32B, WmmaC<F32, 16, 16>, WmmaC<F32, 16, 16>,
                RealSum<SumFamily::wmma_tf32>>(WMMA "m16n16k8 f32 tf32 tf32 f32"),
    DOUBLE("rn?", FE_TONEAREST),
    DOUBLE("rz", FE_TOWARDZERO),
    DOUBLE("rm", FE_DOWNWARD),
    DOUBLE("rp", FE_UPWARD),
    NIBBLE("s4", S4),
    NIBBLE("u4", U4),
    BIT("xor", true),
    BIT("and", false),
};

}  // namespace

RowSpan wmma_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
