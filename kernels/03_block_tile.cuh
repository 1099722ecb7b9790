// 03_block_tile.cuh: a CTA brings a tile of A and one of B to shared memory and all its threads
// read them from there: what global memory sends is used block_n (or block_m) times.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/layout/thread_tile.h"
#include "kernels/common/args.h"
#ifdef __CUDACC__
#include "kernels/common/copy_staged.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/common/pointer.cuh"
#include "kernels/common/work.cuh"
#else
#include "core/layout/rules.h"
#include "kernels/common/info.h"
#endif

namespace tilescope {

/// One stage of shared memory, each operand as it lies in global memory, copied element by element.
constexpr KernelPlan plain_block_tile(const TileConfig& tile, const Specialization& s,
                                      const ThreadTile& threads) {
  KernelPlan k;
  k.spec = s;
  k.block_m = k.warp_m = tile.block_m, k.block_n = k.warp_n = tile.block_n;
  k.block_k = tile.block_k;
  k.threads = threads.threads_m * threads.threads_n;
  k.atom = thread_tile_atom(threads);
  k.copy_a = {.kind = CopyKind::staged,
              .outer = k.block_m,
              .depth = k.block_k,
              .bytes = 4,
              .k_contiguous = s.order_a == Order::row_major,
              .threads = k.threads};
  k.copy_b = k.copy_a;
  k.copy_b.outer = k.block_n, k.copy_b.k_contiguous = s.order_b == Order::column_major;
  set_ring(k, plain_tile(k.copy_a), plain_tile(k.copy_b), 1);
  k.load_a.kind = k.load_b.kind = LoadKind::lds;
  // Copied, then all may read; read, then all may copy.
  k.syncs.add({.kind = SyncKind::cta_barrier, .count = 2});
  return k;
}
constexpr Specialization element_by_element(const TileConfig& tile, const Problem& p) {
  Specialization s = specialize(p, tile.block_m, tile.block_n, tile.block_k);
  s.width_a = s.width_b = s.width_c = 1;
  return s;
}

struct BlockTile {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return float_info(3, "block_tile", "Block tile",
                      "Tiles in shared memory: what is loaded once serves a whole row of threads");
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 32, 4, 8, 16, 32, 64);
    s.add(TileFieldId::block_n, 32, 8, 16, 32, 64, 128);
    s.add(TileFieldId::block_k, 32, 4, 8, 16, 32, 64);
    return s;
  }
  static constexpr Violation rules(const TileConfig&) { return {}; }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return element_by_element(tile, p);
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k =
        plain_block_tile(tile, s, {.threads_m = tile.block_m, .threads_n = tile.block_n});
    // A thread has one sum and waits for each factor of it: many must be at work, and more than 32
    // registers per thread would keep half of an SM empty. One with more to copy would spill.
    constexpr int kThreads = 2048, kMostCtas = 32;  // per SM
    if ((k.block_m + k.block_n) * k.block_k <= 4 * k.threads) {
      k.room_for_ctas = min_of(kThreads / k.threads, kMostCtas);
    }
    return k;
  }
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void block_tile(const GemmArgs& args) {
  constexpr KernelPlan P = BlockTile::tile_plan(T, S);
  // A [block_m, block_k] float, then B [block_k, block_n] float; a tile's lines are those that its
  // matrix has in global memory.
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned base = shared_address(shared);
  const Coord first = block_origin(P, this_block_tile(1));
  const Coord mine = thread_origin(P, threadIdx.x);  // row of A's tile, column of B's
  const unsigned my_a = base + shared_offset(P.shared_a(), mine.row, 0);
  const unsigned my_b = base + shared_offset(P.shared_b(), mine.col, 0);

  float sum[1] = {};
#pragma unroll 1
  for (int k0 = 0; k0 < args.k; k0 += P.block_k) {
    copy_staged<P.copy_a, P.shared_a(), S.edge_m, S.edge_k>(
        global_pointer<const float>(args.a), args.lda, first.row, args.m, k0, args.k, shared);
    copy_staged<P.copy_b, P.shared_b(), S.edge_n, S.edge_k>(
        global_pointer<const float>(args.b), args.ldb, first.col, args.n, k0, args.k, shared);
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < P.block_k; ++k) {
      sum[0] += load_shared(my_a + shared_step(P.shared_a(), 0, k)) *
                load_shared(my_b + shared_step(P.shared_b(), 0, k));
    }
    __syncthreads();
  }
  store_atom<P>(args, first + mine, sum);
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A missing barrier: wrong result or race
     }
-    __syncthreads();
*/
