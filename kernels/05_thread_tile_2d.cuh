// 05_thread_tile_2d.cuh: each thread computes thread_m × thread_n elements of C: thread_m +
// thread_n values loaded from shared memory feed thread_m · thread_n products.
#pragma once
#include "kernels/03_block_tile.cuh"

namespace tilescope {

struct ThreadTile2d {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return float_info(5, "thread_tile_2d", "2-D thread tile",
                      "Registers hold a tile of C: each value of A and of B is used many times");
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 128, 16, 32, 64, 128, 256);
    s.add(TileFieldId::block_n, 128, 16, 32, 64, 128, 256);
    s.add(TileFieldId::block_k, 8, 4, 8, 16, 32);
    s.add(TileFieldId::thread_m, 8, 1, 2, 4, 8, 16);
    s.add(TileFieldId::thread_n, 8, 1, 2, 4, 8, 16);
    return s;
  }
  // Every offered thread tile divides every offered block tile.
  static constexpr Violation rules(const TileConfig&) { return {}; }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return element_by_element(tile, p);
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    return plain_block_tile(tile, s,
                            {.threads_m = tile.block_m / tile.thread_m,
                             .threads_n = tile.block_n / tile.thread_n,
                             .thread_m = tile.thread_m,
                             .thread_n = tile.thread_n});
  }
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void thread_tile_2d(const GemmArgs& args) {
  constexpr KernelPlan P = ThreadTile2d::tile_plan(T, S);
  // A [block_m, block_k] float, then B [block_k, block_n] float; a tile's lines are those that its
  // matrix has in global memory.
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned base = shared_address(shared);
  const Coord first = block_origin(P, this_block_tile(1));
  const Coord mine = thread_origin(P, threadIdx.x);
  const unsigned my_a = base + shared_offset(P.shared_a(), mine.row, 0);
  const unsigned my_b = base + shared_offset(P.shared_b(), mine.col, 0);

  // Some 128 products hide the loop's own work; more only take longer to compile.
  constexpr int kProducts = T.thread_m * T.thread_n;
  constexpr int kUnroll = kProducts >= 128 ? 1 : min_of(128 / kProducts, 8);
  float sum[T.thread_m * T.thread_n] = {};  // [thread_m, thread_n]
#pragma unroll 1
  for (int k0 = 0; k0 < args.k; k0 += P.block_k) {
    copy_staged<P.copy_a, P.shared_a(), S.edge_m, S.edge_k>(
        global_pointer<const float>(args.a), args.lda, first.row, args.m, k0, args.k, shared);
    copy_staged<P.copy_b, P.shared_b(), S.edge_n, S.edge_k>(
        global_pointer<const float>(args.b), args.ldb, first.col, args.n, k0, args.k, shared);
    __syncthreads();
#pragma unroll kUnroll
    for (int k = 0; k < P.block_k; ++k) {
      float a[T.thread_m], b[T.thread_n];
#pragma unroll
      for (int i = 0; i < T.thread_m; ++i) {
        a[i] = load_shared(my_a + shared_step(P.shared_a(), value_coord(P.atom.a, i).row, k));
      }
#pragma unroll
      for (int j = 0; j < T.thread_n; ++j) {
        b[j] = load_shared(my_b + shared_step(P.shared_b(), value_coord(P.atom.b, j).col, k));
      }
#pragma unroll
      for (int i = 0; i < T.thread_m; ++i) {
#pragma unroll
        for (int j = 0; j < T.thread_n; ++j) sum[i * T.thread_n + j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }
  store_atom<P>(args, first + mine, sum);
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A missing tail, block_k = 8: out_of_bounds
-    copy_staged<P.copy_b, P.shared_b(), S.edge_n, S.edge_k>(
+    copy_staged<P.copy_b, P.shared_b(), S.edge_n, false>(

A missing barrier: wrong result or race
     }
-    __syncthreads();
*/
