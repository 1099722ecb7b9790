// Global → registers → shared memory with ordinary loads and stores, zeros beyond the matrix.
#pragma once
#include "core/layout/mapping.h"
#include "kernels/common/vector.cuh"

namespace tilescope {

/// Copies one operand's slice [first_outer.., k0..] into the stage at `stage`. Map and tile are
/// compile-time values at every call, so all of their arithmetic folds.
template <bool EdgeOuter, bool EdgeK, int Width>
__device__ __forceinline__ void copy_chunks(const CopyMap map, const SharedTile tile,
                                            const float* from, int leading, int first_outer,
                                            int end_outer, int k0, int end_k,
                                            unsigned char* stage) {
  const Order order = map.k_contiguous ? Order::row_major : Order::column_major;  // of [outer, k]
#pragma unroll
  for (int i = 0; i < map.iterations(); ++i) {
    const Coord at = copy_coord(map, threadIdx.x, i);  // [outer, k]
    if (!map.even() && (at.row >= map.outer || at.col >= map.depth)) break;
    const int outer = first_outer + at.row, k = k0 + at.col;
    Floats<Width> chunk = {};
    if ((!EdgeOuter || outer < end_outer) && (!EdgeK || k < end_k)) {
      chunk = load_floats<Width>(from + element_index(order, leading, outer, k));
    }
    if (map.k_contiguous == tile.k_contiguous) {
      store_floats<Width>(stage + shared_offset(tile, at.row, at.col), chunk);
    } else {
#pragma unroll
      for (int e = 0; e < Width; ++e) {
        const int to = shared_offset(tile, at.row + (map.k_contiguous ? 0 : e),
                                     at.col + (map.k_contiguous ? e : 0));
        *reinterpret_cast<float*>(stage + to) = chunk.value[e];
      }
    }
  }
}

template <bool EdgeOuter, bool EdgeK>
__device__ __forceinline__ void copy_staged(const CopyMap map, const SharedTile tile,
                                            const float* from, int leading, int first_outer,
                                            int end_outer, int k0, int end_k,
                                            unsigned char* stage) {
  if (map.width == 4) {
    copy_chunks<EdgeOuter, EdgeK, 4>(map, tile, from, leading, first_outer, end_outer, k0, end_k,
                                     stage);
  } else if (map.width == 2) {
    copy_chunks<EdgeOuter, EdgeK, 2>(map, tile, from, leading, first_outer, end_outer, k0, end_k,
                                     stage);
  } else {
    copy_chunks<EdgeOuter, EdgeK, 1>(map, tile, from, leading, first_outer, end_outer, k0, end_k,
                                     stage);
  }
}

}  // namespace tilescope
