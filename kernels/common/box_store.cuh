// C by boxes: sums through a warp's buffers in shared memory (core/layout/box_store.h).
#pragma once
#include "core/layout/box_store.h"
#include "kernels/common/epilogue.cuh"
#include "kernels/common/tma.cuh"

namespace tilescope {

/// Four matrices of 8 × 8 elements of two bytes; `address`: of the row that is this lane's to tell.
__device__ __forceinline__ void store_matrices(unsigned address, const unsigned (&pairs)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
               "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
               : "memory");
}

/// A warp's buffers, which it fills in turn. `shared`: where the CTA's shared memory begins.
template <KernelPlan P>
class BoxStore {
 public:
  __device__ __forceinline__ BoxStore(unsigned shared, int warp) {
    constexpr SharedRegion kRegion = store_buffers(P);
    first_ = shared + kRegion.tile.offset + warp * kStoreBuffers * kRegion.stride;
  }

  /// Sends C of a warp's box, from `at` on. All lanes; `sums`: this lane's of the box.
  __device__ __forceinline__ void store(const GemmArgs& args, const TensorMap& map, Coord at,
                                        const float (&sums)[box_values(P)]) {
    if (threadIdx.x % 32 == 0) wait_boxes_read<kStoreBuffers - 1>();
    __syncwarp();
    constexpr int kBytes = store_buffers(P).stride;
    const unsigned buffer = first_ + turn_ * kBytes;
    fill(args, at, sums, buffer);
    fence_proxy_async();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      send_box(map, box_place(P.epilogue.map, at), buffer);
      commit_boxes();
    }
    turn_ ^= 1;
  }
  /// Before this CTA's shared memory goes.
  __device__ __forceinline__ void finish() {
    if (threadIdx.x % 32 == 0) wait_boxes_read<0>();
  }

 private:
  __device__ __forceinline__ void fill(const GemmArgs& args, Coord at,
                                       const float (&sums)[box_values(P)], unsigned buffer) {
    constexpr SharedTile kTile = store_buffers(P).tile;
    const int lane = threadIdx.x % 32;
    const bool odd = lane / 4 % 2 != 0;
    const Coord mine = at + thread_coord(P.atom.c, lane);
    // Within a line offsets differ in bits that no other part of the address has, which begins at a
    // whole line; from there on by whole periods of the swizzle.
    const Coord first = stored_in_box(P, 0, lane);
    const unsigned start = buffer - kTile.offset + shared_offset(kTile, first.row, first.col);
#pragma unroll
    for (int i = 0; i < box_stores(P); ++i) {
      const Coord on = value_coord(P.atom.c, box_value(P, i, false));
      const unsigned to = (start ^ swizzle_bytes(kTile.swizzle, plain_offset(kTile, 0, on.col))) +
                          plain_offset(kTile, on.row, 0);
      if constexpr (stores_matrices(P)) {
        unsigned pairs[kMatricesStored];
#pragma unroll
        for (int j = 0; j < kMatricesStored; ++j) {
          const int v = box_value(P, i, false) + 2 * j;
          float out[2];
          pair(out, args, mine + value_coord(P.atom.c, v), {sums[v], sums[v + 1]});
          pairs[j] = floats_to_halves(out[0], out[1]);
        }
        store_matrices(to, pairs);
      } else {
        const int even_v = box_value(P, i, false), odd_v = box_value(P, i, true);
        const Coord from = odd ? value_coord(P.atom.c, odd_v) : value_coord(P.atom.c, even_v);
        float out[2];
        pair(out, args, mine + from,
             {odd ? sums[odd_v] : sums[even_v], odd ? sums[odd_v + 1] : sums[even_v + 1]});
        store_shared(to, out);
      }
    }
  }
  /// Of two neighbours in a row, which lie both in C or neither.
  static __device__ __forceinline__ void pair(float (&out)[2], const GemmArgs& args, Coord at,
                                              const float (&sums)[2]) {
    constexpr Specialization S = P.spec;
    static_assert(S.width_c == 2);
    out[0] = sums[0], out[1] = sums[1];  // outside: anything, but nothing that was never set
    const bool inside = (!S.edge_m || at.row < args.m) && (!S.edge_n || at.col < args.n);
    if (inside || !(S.reads_c || S.adds_bias)) finish_c<S>(out, args, at.row, at.col, sums);
  }

  unsigned first_;
  int turn_ = 0;
};

/// C of a block tile, first row and column `at`, from the sums of one warpgroup's warps.
template <KernelPlan P, int AtomsM, int Values>
__device__ __forceinline__ void store_boxes(BoxStore<P>& to, const GemmArgs& args,
                                            const TensorMap& map, Coord at,
                                            const float (&sums)[AtomsM][Values], int warp) {
#pragma unroll
  for (int box = 0; box < boxes_of_warp(P); ++box) {
    constexpr int kValues = box_values(P);
    float values[kValues];
#pragma unroll
    for (int i = 0; i < kValues; ++i) {
      values[i] = sums[box / boxes_of_atom(P)][box % boxes_of_atom(P) * kValues + i];
    }
    const Coord from = box_origin(P, 0, box);
    to.store(args, map, at + box_origin(P, warp, 0) + from, values);
  }
}

}  // namespace tilescope
