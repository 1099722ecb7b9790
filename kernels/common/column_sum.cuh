// Sums of columns: the gradient of a bias, and the sum of what several ranks have where one card
// stands for all (core/layout/column_sum.h). In single precision, in the same order each time.
#pragma once
#include "kernels/common/column_sum_args.h"
#include "kernels/common/elements.cuh"
#include "kernels/common/pointer.cuh"

namespace tilescope {

template <ElementType Type, int Width>
__device__ __forceinline__ void column_sum(const ColumnSumArgs& args) {
  extern __shared__ float warp_sums[];  // [kColumnSumWarps, cta_cols] float
  ColumnSum s = args.sum;
  s.width = Width;
  const int cta = static_cast<int>(blockIdx.x), part = static_cast<int>(blockIdx.y);
  const int thread = static_cast<int>(threadIdx.x);
  const Coord first = column_sum_first(s, cta, part, thread);
  const int end = column_sum_end(s, part);
  float sum[Width] = {};
  if (first.col < s.cols) {
#pragma unroll 4
    for (int row = first.row; row < end; row += kColumnSumWarps) {
      float v[Width];
      load_elements<Type>(v,
                          args.from + element_bytes(Type) * column_sum_index(s, {row, first.col}));
#pragma unroll
      for (int i = 0; i < Width; ++i) sum[i] += v[i];
    }
  }
#pragma unroll
  for (int i = 0; i < Width; ++i) {
    warp_sums[column_sum_shared(s, thread / 32, thread % 32 * Width + i)] = sum[i];
  }
  __syncthreads();
  for (int col = thread; col < s.cta_cols(); col += kColumnSumThreads) {
    const int to = cta * s.cta_cols() + col;
    if (to >= s.cols) continue;
    float all = 0;
#pragma unroll
    for (int warp = 0; warp < kColumnSumWarps; ++warp) {
      all += warp_sums[column_sum_shared(s, warp, col)];
    }
    global_pointer<float>(args.to)[column_sum_out(s, part, to)] = all;
  }
}

}  // namespace tilescope
