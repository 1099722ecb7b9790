// 08_warp_tile.cuh: a level between block and thread: each warp computes a compact tile of C, in
// atoms of 8 × 4 thread tiles, so that its 32 lanes read few different words of A and of B.
#pragma once
#include "kernels/07_double_buffer.cuh"

namespace tilescope {

struct WarpTile {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    KernelInfo info = Vectorized::info();
    info.number = 8;
    info.id = "warp_tile";
    info.title = "Warp tile";
    info.idea = "A compact tile per warp: its lanes share what they read from shared memory";
    return info;
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 128, 32, 64, 128, 256);
    s.add(TileFieldId::block_n, 128, 16, 32, 64, 128, 256);
    s.add(TileFieldId::block_k, 8, 4, 8, 16, 32);
    s.add(TileFieldId::warp_m, 64, 16, 32, 64, 128);
    s.add(TileFieldId::warp_n, 32, 8, 16, 32, 64, 128);
    s.add(TileFieldId::thread_m, 4, 1, 2, 4, 8);
    s.add(TileFieldId::thread_n, 4, 1, 2, 4, 8);
    s.add(TileFieldId::prefetch, 0, 0, 1);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) {
    if (Violation v = check_warps(tile); !v.legal()) return v;
    // An atom of thread tiles must fit into the warp tile.
    if (tile.warp_m < kLanesM * tile.thread_m) {
      return {Rule::warp_too_small, tile.warp_m, kLanesM * tile.thread_m, TileFieldId::warp_m,
              TileFieldId::thread_m};
    }
    if (tile.warp_n < kLanesN * tile.thread_n) {
      return {Rule::warp_too_small, tile.warp_n, kLanesN * tile.thread_n, TileFieldId::warp_n,
              TileFieldId::thread_n};
    }
    return {};
  }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return Vectorized::specialization(tile, p);
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k;
    k.atom = thread_tile_atom({.threads_m = kLanesM,
                               .threads_n = kLanesN,
                               .thread_m = tile.thread_m,
                               .thread_n = tile.thread_n,
                               .run_m = min_of(tile.thread_m, 4),
                               .run_n = min_of(tile.thread_n, 4)});
    set_warps(k, tile);
    set_double_buffer(k, tile, s);
    return k;
  }

 private:
  static constexpr int kLanesM = 8, kLanesN = 4;  // of an atom
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void warp_tile(const GemmArgs& args) {
  constexpr KernelPlan P = WarpTile::tile_plan(T, S);
  const Coord first = block_origin(P, this_block_tile(1));
  ThreadSums<P> sums = {};
  multiply_double_buffered<P>(args, first, sums);
  store_thread_sums<P>(args, first, sums);
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A swapped index: wrong result
-  multiply_double_buffered<P>(args, first, sums);
+  multiply_double_buffered<P>(args, {first.col, first.row}, sums);
*/
