// Global → shared memory for halves: cp.async where alignment allows, plain 16-bit copies if not.
#pragma once
#include "core/layout/mapping.h"
#include "kernels/common/ptx.cuh"

namespace tilescope {

/// Issues the copies of one operand's slice [first_outer.., k0..] into the stage at shared address
/// `stage`; zeros beyond the matrix. Both k are contiguous. The caller commits the group.
template <int Width, bool EdgeOuter, bool EdgeK>
__device__ __forceinline__ void copy_async(const CopyMap map, const SharedTile tile,
                                           const void* from, int leading, int first_outer,
                                           int end_outer, int k0, int end_k, unsigned stage) {
  const unsigned short* source = static_cast<const unsigned short*>(from);
#pragma unroll
  for (int i = 0; i < map.iterations(); ++i) {
    const Coord at = copy_coord(map, threadIdx.x, i);  // [outer, k]
    if (!map.even() && at.row >= map.outer) break;
    const int outer = first_outer + at.row, k = k0 + at.col;
    const bool inside = (!EdgeOuter || outer < end_outer) && (!EdgeK || k < end_k);
    const unsigned to = stage + shared_offset(tile, at.row, at.col);
    // A copy of no bytes must still name an address inside the buffer.
    const unsigned short* chunk =
        source + (inside ? element_index(Order::row_major, leading, outer, k) : 0);
    if constexpr (Width == 1) {
      store_shared_u16(to, inside ? *chunk : static_cast<unsigned short>(0));
    } else if constexpr (EdgeOuter || EdgeK) {
      cp_async<Width * 2>(to, chunk, inside);
    } else {
      cp_async<Width * 2>(to, chunk);
    }
  }
}

}  // namespace tilescope
