// Global → shared memory for halves: cp.async where alignment allows, plain 16-bit copies if not.
#pragma once
#include "core/layout/mapping.h"
#include "kernels/common/pointer.cuh"
#include "kernels/common/ptx.cuh"

namespace tilescope {

/// This thread's copies of one operand, k contiguous, slice after slice; zeros beyond the matrix.
/// Map and tile are template arguments so that loops unroll and steps fold to constants.
template <CopyMap Map, SharedTile Tile, bool EdgeOuter, bool EdgeK>
class SliceCopy {
 public:
  __device__ __forceinline__ SliceCopy(unsigned long long matrix, long long leading,
                                       int first_outer, int end_outer)
      : matrix_(global_pointer<const unsigned short>(matrix)),
        leading_(leading),
        end_outer_(end_outer) {
    const Coord at = copy_coord(Map, threadIdx.x, 0);  // [outer, k]
    outer_ = first_outer + at.row;
    k_ = at.col;
    from_ = matrix_ + element_index(Order::row_major, leading, outer_, k_);
    to_ = shared_offset(Tile, at.row, at.col);
  }

  /// Issues the copies of the slice at k0 into the stage at a shared address. The caller commits.
  __device__ __forceinline__ void issue(int k0, int end_k, unsigned stage) {
    if constexpr (kStepped) {
      const bool k_inside = !EdgeK || k0 + k_ < end_k;
      const unsigned short* from = from_ + k0;
#pragma unroll
      for (int i = 0; i < Map.iterations(); ++i) {
        copy(stage + to_ + shared_line_step(Tile, i * kLines), from,
             k_inside && (!EdgeOuter || outer_ + i * kLines < end_outer_));
        from += kLines * leading_;
      }
    } else {
#pragma unroll 4
      for (int i = 0; i < Map.iterations(); ++i) {
        const Coord first = copy_coord(Map, threadIdx.x, 0);
        const Coord at = copy_coord(Map, threadIdx.x, i);
        if (!Map.even() && at.row >= Map.outer) break;
        const int outer = outer_ + at.row - first.row, k = k0 + at.col;
        copy(stage + shared_offset(Tile, at.row, at.col),
             matrix_ + element_index(Order::row_major, leading_, outer, k),
             (!EdgeOuter || outer < end_outer_) && (!EdgeK || k < end_k));
      }
    }
  }

 private:
  // From iteration to iteration a thread moves on by whole periods of the swizzle: its addresses
  // then differ by constants. Otherwise each is computed anew.
  static constexpr int kLines = copy_line_step(Map);
  static constexpr bool kStepped = Map.even() && kLines > 0 && kLines % kSwizzlePeriod == 0;

  __device__ __forceinline__ void copy(unsigned to, const unsigned short* from, bool inside) {
    if constexpr (Map.width == 1) {
      store_shared_u16(to, inside ? *from : static_cast<unsigned short>(0));
    } else if constexpr (EdgeOuter || EdgeK) {
      // A copy of no bytes must still name an address inside the buffer.
      cp_async<Map.access_bytes()>(to, inside ? from : matrix_, inside);
    } else {
      cp_async<Map.access_bytes()>(to, from);
    }
  }

  const unsigned short* matrix_;
  const unsigned short* from_;  // the first chunk in slice 0
  long long leading_;
  int end_outer_;
  int outer_, k_;  // of that chunk
  int to_;         // its offset in a stage
};

}  // namespace tilescope
