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

/// C of two neighbours in a row, which lie both in C or neither.
template <KernelPlan P>
__device__ __forceinline__ void finish_pair(float (&out)[2], const GemmArgs& args, Coord at,
                                            const float (&sums)[2]) {
  constexpr Specialization S = P.spec;
  static_assert(S.width_c == 2);
  out[0] = sums[0], out[1] = sums[1];  // outside: anything, but nothing that was never set
  const bool inside = (!S.edge_m || at.row < args.m) && (!S.edge_n || at.col < args.n);
  if (inside || !(S.reads_c || S.adds_bias)) finish_c<S>(out, args, at.row, at.col, sums);
}

/// Lays what a warp has of a box out in a buffer, as the swizzle has it. All lanes; `at`: the box's
/// first element in C; `sums`: this lane's.
template <KernelPlan P>
__device__ __forceinline__ void fill_buffer(const GemmArgs& args, Coord at,
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
        finish_pair<P>(out, args, mine + value_coord(P.atom.c, v), {sums[v], sums[v + 1]});
        pairs[j] = floats_to_halves(out[0], out[1]);
      }
      store_matrices(to, pairs);
    } else {
      const int even_v = box_value(P, i, false), odd_v = box_value(P, i, true);
      const Coord from = odd ? value_coord(P.atom.c, odd_v) : value_coord(P.atom.c, even_v);
      float out[2];
      finish_pair<P>(out, args, mine + from,
                     {odd ? sums[odd_v] : sums[even_v], odd ? sums[odd_v + 1] : sums[even_v + 1]});
      store_shared(to, out);
    }
  }
}

}  // namespace tilescope
