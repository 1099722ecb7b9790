// 02_coalesced.cuh: neighbouring threads take neighbouring columns of C, so that a warp's loads of
// B and stores of C are whole lines of memory, and its loads of A one word for all.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/layout/thread_tile.h"
#include "kernels/common/args.h"
#ifdef __CUDACC__
#include "kernels/common/epilogue.cuh"
#include "kernels/common/pointer.cuh"
#else
#include "core/layout/rules.h"
#include "kernels/common/info.h"
#endif

namespace tilescope {

struct Coalesced {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return float_info(
        2, "coalesced", "Coalesced",
        "Neighbouring threads, neighbouring columns: a warp's loads share their sectors");
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 8, 1, 2, 4, 8, 16, 32);
    s.add(TileFieldId::block_n, 32, 32, 64, 128, 256);
    return s;
  }
  static constexpr Violation rules(const TileConfig&) { return {}; }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = specialize(p, tile.block_m, tile.block_n, 1);
    s.width_a = s.width_b = s.width_c = 1;
    s.edge_k = false;
    return s;
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k;
    k.spec = s;
    k.block_m = k.warp_m = tile.block_m, k.block_n = k.warp_n = tile.block_n, k.block_k = 1;
    k.threads = tile.block_m * tile.block_n;
    k.atom = thread_tile_atom({.threads_m = tile.block_m, .threads_n = tile.block_n});
    set_direct_loads(k);
    return k;
  }
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void coalesced(const GemmArgs& args) {
  constexpr KernelPlan P = Coalesced::tile_plan(T, S);
  const Coord at = thread_coord(P.atom.c, threadIdx.x);
  const int row = blockIdx.y * P.block_m + at.row;
  const int col = blockIdx.x * P.block_n + at.col;
  if ((S.edge_m && row >= args.m) || (S.edge_n && col >= args.n)) return;
  const float* a = global_pointer<const float>(args.a);
  const float* b = global_pointer<const float>(args.b);
  float sum[1] = {};
#pragma unroll 8
  for (int k = 0; k < args.k; ++k) {
    sum[0] += a[element_index(S.order_a, args.lda, row, k)] *
              b[element_index(S.order_b, args.ldb, k, col)];
  }
  store_c<S>(args, row, col, sum);
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A missing tail: out_of_bounds
-  if ((S.edge_m && row >= args.m) || (S.edge_n && col >= args.n)) return;
*/
