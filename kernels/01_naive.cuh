// 01_naive.cuh: one thread computes one element of C, straight from global memory.
// Threads of a warp take 32 neighbouring rows, so their loads of A are a row apart: uncoalesced.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/args.h"
#ifdef __CUDACC__
#include "kernels/common/epilogue.cuh"
#else
#include "kernels/common/info.h"
#endif

namespace tilescope {

struct Naive {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return {.number = 1,
            .id = "naive",
            .title = "Naive",
            .idea = "One thread, one element of C: no reuse, uncoalesced loads",
            .type_a = ElementType::f32,
            .type_b = ElementType::f32,
            .type_c = ElementType::f32,
            .layouts = kNN | kNT | kTN | kTT,
            .default_layout = kTT,
            .min_sm = 50};
  }
#endif
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 32, 8, 16, 32, 64, 128);
    s.add(TileFieldId::block_n, 8, 1, 2, 4, 8, 16, 32);
    return s;
  }
  static constexpr Violation validate(const TileConfig& tile, const Problem& p,
                                      const DeviceLimits& device) {
    if (Violation v = check_problem(p); !v.legal()) return v;
    if (Violation v = check_types(p, ElementType::f32, ElementType::f32, ElementType::f32);
        !v.legal()) {
      return v;
    }
    if (Violation v = check_offered(sliders(), tile); !v.legal()) return v;
    return check_launch(launch(tile, p), device, TileFieldId::block_m, TileFieldId::none);
  }
  static constexpr Launch launch(const TileConfig& tile, const Problem& p) {
    return launch_of(plan(tile, p));
  }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = specialize(p, tile.block_m, tile.block_n, 1);
    s.width_a = s.width_b = s.width_c = 1;
    s.edge_k = false;
    return s;
  }
  static constexpr KernelPlan plan(const TileConfig& tile, const Problem& p) {
    KernelPlan k = tile_plan(tile, specialization(tile, p));
    set_work(k, tile, p);
    return k;
  }
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k;
    k.spec = s;
    k.block_m = tile.block_m, k.block_n = tile.block_n, k.block_k = 1;
    k.threads = tile.block_m * tile.block_n;
    k.copy_a = {CopyKind::direct, tile.block_m, 1, 1, 4, s.order_a == Order::row_major, k.threads};
    k.copy_b = {CopyKind::direct, tile.block_n, 1, 1, 4, s.order_b == Order::column_major,
                k.threads};
    // Consecutive threads take consecutive rows: offset = thread.
    k.thread_tile = {tile.block_m,       tile.block_n, 32, 1, make_layout({k.threads, 1}),
                     make_layout({1, 0})};
    return k;
  }
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void naive(const GemmArgs& args) {
  constexpr KernelPlan P = Naive::tile_plan(T, S);
  const Coord at = thread_coord(P.thread_tile, threadIdx.x);
  const int row = blockIdx.y * P.block_m + at.row;
  const int col = blockIdx.x * P.block_n + at.col;
  if ((S.edge_m && row >= args.m) || (S.edge_n && col >= args.n)) return;
  const float* a = static_cast<const float*>(args.a);
  const float* b = static_cast<const float*>(args.b);
  float sum = 0.0f;
#pragma unroll 8
  for (int k = 0; k < args.k; ++k) {
    sum += a[element_index(S.order_a, args.lda, row, k)] *
           b[element_index(S.order_b, args.ldb, k, col)];
  }
  store_c<1, S.reads_c>(args, row, col, &sum);
}
#endif

}  // namespace tilescope
