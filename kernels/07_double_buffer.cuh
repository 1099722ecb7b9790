// 07_double_buffer.cuh: two stages of shared memory: while one is multiplied the next k slice is on
// its way to the other, through registers or by cp.async. One barrier per slice instead of two.
#pragma once
#include "kernels/06_vectorized.cuh"
#ifdef __CUDACC__
#include "kernels/common/copy_async.cuh"
#endif

namespace tilescope {

/// Two stages, and the barriers between them, for a plan whose atoms, warps and threads are there.
constexpr void set_double_buffer(KernelPlan& k, const TileConfig& tile, const Specialization& s) {
  const bool async = tile.prefetch == 1;
  Vectorized::set_operands(k, tile, s, async ? CopyKind::cp_async : CopyKind::staged, 2);
  constexpr SyncWhen kWhen[] = {SyncWhen::before_slices, SyncWhen::each_slice};
  for (const SyncWhen when : kWhen) {
    if (async) k.syncs.add({.kind = SyncKind::copy_wait, .when = when});
    k.syncs.add({.kind = SyncKind::cta_barrier, .when = when});
  }
}

struct DoubleBuffer {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    KernelInfo info = Vectorized::info();
    info.number = 7;
    info.id = "double_buffer";
    info.title = "Double buffer";
    info.idea = "Fetch the next k slice while this one is multiplied: latency is hidden";
    return info;
  }
  static constexpr Sliders sliders() {
    Sliders s = Vectorized::sliders();
    s.add(TileFieldId::prefetch, 0, 0, 1);
    return s;
  }
  static constexpr Violation rules(const TileConfig&) { return {}; }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return Vectorized::specialization(tile, p);
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k = Vectorized::tile_plan(tile, s);
    k.syncs = {};
    set_double_buffer(k, tile, s);
    return k;
  }
};

#ifdef __CUDACC__
/// The sums of the block tile whose first row and column is `at`, over all of k.
template <KernelPlan P>
__device__ __forceinline__ void multiply_double_buffered(const GemmArgs& args, Coord at,
                                                         ThreadSums<P>& sums) {
  constexpr Specialization S = P.spec;
  // Two stages, each A [block_k, block_m] float, then B [block_k, block_n] float.
  extern __shared__ __align__(1024) unsigned char shared[];
  const int slices = ceil_div(args.k, P.block_k);
  const auto stage_of = [&](int slice) {
    return shared + stage_of_slice(P, slice) * P.stage_bytes();
  };
  if constexpr (P.copy_a.kind == CopyKind::cp_async) {
    SliceCopy<P.copy_a, P.shared_a(), S.edge_m, S.edge_k> copy_a(args.a, args.lda, at.row, args.m);
    SliceCopy<P.copy_b, P.shared_b(), S.edge_n, S.edge_k> copy_b(args.b, args.ldb, at.col, args.n);
    const auto issue = [&](int slice) {
      if (slice == slices) return;
      const unsigned stage = shared_address(stage_of(slice));
      copy_a.issue(slice * P.block_k, args.k, stage);
      copy_b.issue(slice * P.block_k, args.k, stage);
      cp_async_commit();
    };
    issue(0);
    cp_async_wait<0>();
    __syncthreads();
#pragma unroll 1
    for (int slice = 0; slice < slices; ++slice) {
      issue(slice + 1);
      multiply_stage<P>(stage_of(slice), sums);
      cp_async_wait<0>();
      __syncthreads();
    }
  } else {
    StagedSlice<P.copy_a, P.shared_a(), S.edge_m, S.edge_k> a;
    StagedSlice<P.copy_b, P.shared_b(), S.edge_n, S.edge_k> b;
    const auto load = [&](int slice) {
      const int k0 = slice * P.block_k;
      a.load(global_pointer<const float>(args.a), args.lda, at.row, args.m, k0, args.k);
      b.load(global_pointer<const float>(args.b), args.ldb, at.col, args.n, k0, args.k);
    };
    const auto store = [&](int slice) {
      a.store(stage_of(slice));
      b.store(stage_of(slice));
    };
    load(0);
    store(0);
    __syncthreads();
#pragma unroll 1
    for (int slice = 0; slice < slices; ++slice) {
      const bool more = slice + 1 < slices;
      if (more) load(slice + 1);
      multiply_stage<P>(stage_of(slice), sums);
      if (more) store(slice + 1);
      __syncthreads();
    }
  }
}

template <TileConfig T, Specialization S>
__device__ void double_buffer(const GemmArgs& args) {
  constexpr KernelPlan P = DoubleBuffer::tile_plan(T, S);
  const Coord first = block_origin(P, this_block_tile(1));
  ThreadSums<P> sums = {};
  multiply_double_buffered<P>(args, first, sums);
  store_thread_sums<P>(args, first, sums);
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A missing wait, prefetch = 1: copy_pending
-      cp_async_wait<0>();
       __syncthreads();
     }
*/
