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
  const long long at = element_index(Order::row_major, args.ldc, row, col);
  float out[Width];
#pragma unroll
  for (int i = 0; i < Width; ++i) out[i] = args.alpha * accumulator[i];
  if constexpr (ReadsC) {
    const Floats<Width> old = load_floats<Width>(global_pointer<const float>(args.c) + at);
#pragma unroll
    for (int i = 0; i < Width; ++i) out[i] += args.beta * old.value[i];
  }
  store_global(args.c + 4 * at, out);
}

}  // namespace tilescope
