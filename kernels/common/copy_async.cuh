// Global → shared memory: cp.async where alignment allows, plain 16-bit copies if not.
#pragma once
#include "core/layout/mapping.h"
#include "kernels/common/pointer.cuh"
#include "kernels/common/ptx.cuh"

namespace tilescope {

template <int Bytes>
struct BitsOf;
template <>
struct BitsOf<2> {
  using Type = unsigned short;
};
template <>
struct BitsOf<4> {
  using Type = unsigned;
};

/// Copies one operand's k slices to shared memory, slice after slice: each thread the chunks that
/// the map gives it, zeros for what lies beyond the matrix. Map and tile are template arguments so
/// that loops unroll and steps fold to constants.
template <CopyMap Map, SharedTile Tile, bool EdgeOuter, bool EdgeK>
class SliceCopy {
 public:
  using Element = typename BitsOf<Map.bytes>::Type;

  __device__ __forceinline__ SliceCopy(unsigned long long matrix, long long leading,
                                       int first_outer, int end_outer)
      : matrix_(global_pointer<const Element>(matrix)), leading_(leading), end_outer_(end_outer) {
    const Coord at = copy_coord(Map, threadIdx.x, 0);  // [outer, k]
    outer_ = first_outer + at.row;
    k_ = at.col;
    from_ = matrix_ + element_index(kOrder, leading, outer_, k_);
    to_ = shared_offset(Tile, at.row, at.col);
  }

  /// Issues the copies of the slice at k0 into the stage at a shared address. The caller commits.
  __device__ __forceinline__ void issue(int k0, int end_k, unsigned stage) {
    if constexpr (kStepped) {
      const Element* from = from_ + (Map.k_contiguous ? k0 : k0 * leading_);
#pragma unroll
      for (int i = 0; i < Map.iterations(); ++i) {
        const int outer = outer_ + (Map.k_contiguous ? i * kLines : 0);
        const int k = k0 + k_ + (Map.k_contiguous ? 0 : i * kLines);
        copy(stage + to_ + step_to(i * kLines), from,
             (!EdgeOuter || outer < end_outer_) && (!EdgeK || k < end_k));
        from += kLines * leading_;
      }
    } else {
#pragma unroll 4
      for (int i = 0; i < Map.iterations(); ++i) {
        const Coord first = copy_coord(Map, threadIdx.x, 0);
        const Coord at = copy_coord(Map, threadIdx.x, i);
        if (!Map.even() && (at.row >= Map.outer || at.col >= Map.depth)) break;
        const int outer = outer_ + at.row - first.row, k = k0 + at.col;
        copy(stage + shared_offset(Tile, at.row, at.col),
             matrix_ + element_index(kOrder, leading_, outer, k),
             (!EdgeOuter || outer < end_outer_) && (!EdgeK || k < end_k));
      }
    }
  }

 private:
  static constexpr Order kOrder = Map.k_contiguous ? Order::row_major : Order::column_major;
  static constexpr int kLines = copy_line_step(Map);
  static constexpr bool kLinear = Tile.swizzle == Swizzle::none && Tile.panels() == 1;
  static constexpr bool kStepped = copied_in_steps(Map, Tile);
  static constexpr int step_to(int lines) {
    if (!kLinear) return shared_line_step(Tile, lines);
    return Map.k_contiguous ? shared_step(Tile, lines, 0) : shared_step(Tile, 0, lines);
  }

  __device__ __forceinline__ void copy(unsigned to, const Element* from, bool inside) {
    if constexpr (Map.access_bytes() == 2) {
      store_shared_u16(to, inside ? *from : static_cast<unsigned short>(0));
    } else if constexpr (EdgeOuter || EdgeK) {
      // A copy of no bytes must still name an address inside the buffer.
      cp_async<Map.access_bytes()>(to, inside ? from : matrix_, inside);
    } else {
      cp_async<Map.access_bytes()>(to, from);
    }
  }

  const Element* matrix_;
  const Element* from_;  // the first chunk in slice 0
  long long leading_;
  int end_outer_;
  int outer_, k_;  // of that chunk
  int to_;         // its offset in a stage
};

}  // namespace tilescope
