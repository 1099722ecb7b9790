// C = alpha · accumulator + beta · C, Width neighbouring columns at a time.
#pragma once
#include "core/layout/problem.h"
#include "kernels/common/args.h"
#include "kernels/common/pointer.cuh"
#include "kernels/common/vector.cuh"

namespace tilescope {

/// `row`, `col` of the first; all Width columns are inside or all outside (Width divides n).
/// ReadsC false (beta 0) never reads C, so C may hold anything, NaN too.
template <int Width, bool ReadsC>
__device__ __forceinline__ void store_c(const GemmArgs& args, int row, int col,
                                        const float* accumulator) {
  float* to = global_pointer<float>(args.c) + element_index(Order::row_major, args.ldc, row, col);
  Floats<Width> out;
#pragma unroll
  for (int i = 0; i < Width; ++i) out.value[i] = args.alpha * accumulator[i];
  if constexpr (ReadsC) {
    const Floats<Width> old = load_floats<Width>(to);
#pragma unroll
    for (int i = 0; i < Width; ++i) out.value[i] += args.beta * old.value[i];
  }
  store_floats<Width>(to, out);
}

}  // namespace tilescope
