// Global → registers → shared memory with ordinary loads and stores, zeros beyond the matrix.
#pragma once
#include "core/layout/mapping.h"
#include "kernels/common/vector.cuh"

namespace tilescope {

/// Copies one operand's k slice in two halves, load() and store(), between which a thread can do
/// something else. `Count`: of the thread's accesses, how many; they are held in registers, so that
/// all loads are issued before the first store and their latencies overlap.
template <CopyMap Map, SharedTile Tile, bool EdgeOuter, bool EdgeK, int Count = Map.iterations()>
class StagedSlice {
 public:
  /// `from`: the matrix; (`first_outer`, `k0`): the slice's first element; `end_outer`, `end_k`:
  /// where the matrix ends; `first`: the first of the thread's accesses.
  __device__ __forceinline__ void load(const float* from, long long leading, int first_outer,
                                       int end_outer, int k0, int end_k, int first = 0) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const Coord at = copy_coord(Map, threadIdx.x, first + i);  // [outer, k]
      const int outer = first_outer + at.row, k = k0 + at.col;
      chunk_[i] = {};
      if ((Map.even() || (at.row < Map.outer && at.col < Map.depth)) &&
          (!EdgeOuter || outer < end_outer) && (!EdgeK || k < end_k)) {
        chunk_[i] = load_floats<kWidth>(from + element_index(kOrder, leading, outer, k));
      }
    }
  }
  __device__ __forceinline__ void store(unsigned char* stage, int first = 0) const {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const Coord at = copy_coord(Map, threadIdx.x, first + i);
      if (!Map.even() && (at.row >= Map.outer || at.col >= Map.depth)) continue;
      if constexpr (Map.k_contiguous == Tile.k_contiguous) {
        store_floats<kWidth>(stage + shared_offset(Tile, at.row, at.col), chunk_[i]);
      } else {
#pragma unroll
        for (int e = 0; e < kWidth; ++e) {
          const int to = shared_offset(Tile, at.row + (Map.k_contiguous ? 0 : e),
                                       at.col + (Map.k_contiguous ? e : 0));
          *reinterpret_cast<float*>(stage + to) = chunk_[i].value[e];
        }
      }
    }
  }

 private:
  static constexpr Order kOrder = Map.k_contiguous ? Order::row_major : Order::column_major;
  static constexpr int kWidth = Map.width;
  Floats<kWidth> chunk_[Count];
};

/// load() and store() one after the other, for kernels that do nothing in between. Where a thread
/// has more accesses than registers for them, in several rounds (copies_at_once).
template <CopyMap Map, SharedTile Tile, bool EdgeOuter, bool EdgeK>
__device__ __forceinline__ void copy_staged(const float* from, long long leading, int first_outer,
                                            int end_outer, int k0, int end_k,
                                            unsigned char* stage) {
  constexpr int kAll = Map.iterations(), kPart = copies_at_once(Map);
  const auto copy = [&](auto slice, int first) {
    slice.load(from, leading, first_outer, end_outer, k0, end_k, first);
    slice.store(stage, first);
  };
  if constexpr (kPart == kAll) {
    copy(StagedSlice<Map, Tile, EdgeOuter, EdgeK>(), 0);
  } else {
    constexpr int kRest = kAll % kPart;
#pragma unroll 1
    for (int first = 0; first < kAll - kRest; first += kPart) {
      copy(StagedSlice<Map, Tile, EdgeOuter, EdgeK, kPart>(), first);
    }
    if constexpr (kRest > 0) {
      copy(StagedSlice<Map, Tile, EdgeOuter, EdgeK, kRest>(), kAll - kRest);
    }
  }
}

}  // namespace tilescope
