// 04_thread_tile_1d.cuh: each thread computes thread_m elements of one column of C: a value of B
// loaded from shared memory is used thread_m times from a register.
#pragma once
#include "kernels/03_block_tile.cuh"

namespace tilescope {

struct ThreadTile1d {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return float_info(4, "thread_tile_1d", "1-D thread tile",
                      "Registers hold a column of C: each value of B is used many times");
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 64, 16, 32, 64, 128, 256);
    s.add(TileFieldId::block_n, 64, 16, 32, 64, 128, 256);
    s.add(TileFieldId::block_k, 8, 4, 8, 16, 32);
    s.add(TileFieldId::thread_m, 8, 1, 2, 4, 8, 16, 32);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) {
    return check_divides(tile, TileFieldId::block_m, TileFieldId::thread_m);
  }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return element_by_element(tile, p);
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    return plain_block_tile(tile, s,
                            {.threads_m = tile.block_m / tile.thread_m,
                             .threads_n = tile.block_n,
                             .thread_m = tile.thread_m});
  }
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void thread_tile_1d(const GemmArgs& args) {
  constexpr KernelPlan P = ThreadTile1d::tile_plan(T, S);
  // A [block_m, block_k] float, then B [block_k, block_n] float; a tile's lines are those that its
  // matrix has in global memory.
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned base = shared_address(shared);
  const Coord first = block_origin(P, this_block_tile(1));
  const Coord mine = thread_origin(P, threadIdx.x);
  const unsigned my_a = base + shared_offset(P.shared_a(), mine.row, 0);
  const unsigned my_b = base + shared_offset(P.shared_b(), mine.col, 0);

  // Each row of a thread is as much code again, and NVRTC's time with it.
  constexpr int kUnroll = min_of(ceil_div(64, T.thread_m), 8);
  float sum[T.thread_m] = {};
#pragma unroll 1
  for (int k0 = 0; k0 < args.k; k0 += P.block_k) {
    copy_staged<P.copy_a, P.shared_a(), S.edge_m, S.edge_k>(
        global_pointer<const float>(args.a), args.lda, first.row, args.m, k0, args.k, shared);
    copy_staged<P.copy_b, P.shared_b(), S.edge_n, S.edge_k>(
        global_pointer<const float>(args.b), args.ldb, first.col, args.n, k0, args.k, shared);
    __syncthreads();
#pragma unroll kUnroll
    for (int k = 0; k < P.block_k; ++k) {
      const float b = load_shared(my_b + shared_step(P.shared_b(), 0, k));
#pragma unroll
      for (int i = 0; i < T.thread_m; ++i) {
        const int row = value_coord(P.atom.a, i).row;
        sum[i] += load_shared(my_a + shared_step(P.shared_a(), row, k)) * b;
      }
    }
    __syncthreads();
  }
  store_atom<P>(args, first + mine, sum);
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A swapped index, thread_m = 4: wrong result
-        const int row = value_coord(P.atom.a, i).row;
+        const int row = value_coord(P.atom.a, i).col;
*/
