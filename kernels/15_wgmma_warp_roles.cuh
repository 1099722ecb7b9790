// 15_wgmma_warp_roles.cuh: warpgroups with roles. One brings slices and does nothing else, the
// others multiply; stages go to and fro by mbarriers, and no barrier holds all threads up.
#pragma once
#include "kernels/14_wgmma_tma.cuh"
#ifdef __CUDACC__
#include "kernels/common/cluster.cuh"
#endif

namespace tilescope {

struct WgmmaWarpRoles {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    KernelInfo info = WgmmaTma::info();
    info.number = 15;
    info.id = "wgmma_warp_roles";
    info.title = "wgmma warp roles";
    info.idea = "A producer and consumers: stages are handed over, nobody waits for all";
    return info;
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 128, 64, 128, 192, 256);
    s.add(TileFieldId::block_n, 256, 16, 32, 64, 96, 128, 160, 192, 224, 256);
    s.add(TileFieldId::block_k, 64, 32, 64, 128);
    s.add(TileFieldId::warp_m, 64, 64, 128);
    s.add(TileFieldId::swizzle, 1, 0, 1);
    s.add(TileFieldId::stages, 4, 2, 3, 4, 5, 6, 7, 8);
    s.add(TileFieldId::raster, 8, 1, 2, 4, 8, 16, 32);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) {
    return check_divides(tile, TileFieldId::block_m, TileFieldId::warp_m);
  }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return WgmmaTma::specialization(tile, p);
  }
#endif

  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k = WgmmaTma::ring_plan(tile, s, tile.warp_m);
    set_producer(k);
    add_mbarriers(k, 2 * tile.stages);  // full, then empty
    k.syncs.add({.kind = SyncKind::cta_barrier, .when = SyncWhen::before_slices});
    k.syncs.add({.kind = SyncKind::mbarrier});
    k.syncs.add({.kind = SyncKind::product_wait});
    return k;
  }
  /// A warpgroup behind the others. Of the registers that the CTA is launched with, the same for
  /// each thread, it gives back what it does not need; who took more than are there would wait for
  /// ever.
  static constexpr void set_producer(KernelPlan& k, int least = 24) {
    constexpr int kWarpgroup = 128, kRegisters = 65536, kUnit = 8, kMost = 240;
    k.producer_threads = kWarpgroup;
    if (k.threads <= kWarpgroup) return;  // as many as a thread can have are there for each
    const int launched = kRegisters / k.cta_threads() / kUnit * kUnit * k.cta_threads();
    k.registers = min_of((launched - least * kWarpgroup) / k.threads / kUnit * kUnit, kMost);
    const int left = launched - k.registers * k.threads;
    k.producer_registers = min_of(left / kWarpgroup / kUnit * kUnit, 40);
  }
};

#ifdef __CUDACC__

/// Told when all warps have multiplied a stage.
template <KernelPlan P>
__device__ __forceinline__ unsigned empty_barrier(int stage) {
  return TensorRing<P>::full(P.stages() + stage);
}

/// Told when what products read of a stage is there: copies that have landed, or what was made of
/// them.
template <KernelPlan P>
__device__ __forceinline__ unsigned ready_barrier(int stage) {
  return TensorRing<P>::full((P.split.present() ? 2 * P.stages() : 0) + stage);
}

/// The barriers of a ring whose stages `readers` warps give back.
template <KernelPlan P>
__device__ __forceinline__ void init_ring(int readers) {
  for (int s = 0; s < P.stages(); ++s) {
    mbarrier_init(TensorRing<P>::full(s), 1);
    mbarrier_init(empty_barrier<P>(s), readers);
    if constexpr (P.split.present()) mbarrier_init(ready_barrier<P>(s), P.split.warps());
  }
  fence_mbarrier_init();
}

/// The producer's part: slices [begin, end) of the block tile at `at`. One thread.
template <KernelPlan P>
__device__ __forceinline__ void produce(const TensorMaps& maps, Coord at, int begin, int end,
                                        RingPlace<P>& place, Coord in_cluster = {0, 0}) {
#pragma unroll 1
  for (int slice = begin; slice < end; ++slice) {
    mbarrier_wait(empty_barrier<P>(place.stage), place.parity ^ 1);  // at first all are empty
    TensorRing<P>::bring(maps, at, slice, place.stage, in_cluster);
    place.advance();
  }
}

/// A stage that a warp has multiplied, given back to a CTA that fills it, which is the lane's
/// number.
template <KernelPlan P>
__device__ __forceinline__ void give_back(int stage) {
  if constexpr (cluster_size(P.work.raster) > 1) {
    mbarrier_arrive_at(empty_barrier<P>(stage), threadIdx.x % 32);
  } else {
    mbarrier_arrive(empty_barrier<P>(stage));
  }
}

/// A consumer's: its rows, from `mine` on, of all slices; sums begin anew. All threads of a
/// warpgroup.
template <KernelPlan P>
__device__ __forceinline__ void consume(WarpgroupSums<P>& sums, Coord mine, int slices,
                                        RingPlace<P>& place, Coord in_cluster = {0, 0}) {
  constexpr Raster kRaster = P.work.raster;
  const int fill = cluster_row(kRaster, in_cluster) | cluster_column(kRaster, in_cluster);
  const bool speaks = fill >> threadIdx.x % 32 & 1;  // for its warp, to one of those CTAs
  int before = place.stage;
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
    mbarrier_wait(ready_barrier<P>(place.stage), place.parity);
    wgmma_fence();
    multiply_stage<P>(sums, TensorRing<P>::stage(place.stage), mine, slice);
    wgmma_commit();
    wgmma_wait<1>();  // the slice before has been multiplied
    if (slice > 0 && speaks) give_back<P>(before);
    before = place.stage;
    place.advance();
  }
  wgmma_wait<0>();
#pragma unroll
  for (int mi = 0; mi < mmas_m(P); ++mi) wgmma_done(sums[mi]);
  if (speaks) give_back<P>(before);
}

template <TileConfig T, Specialization S>
__device__ void wgmma_warp_roles(const GemmArgs& args, const TensorMaps& maps) {
  constexpr KernelPlan P = WgmmaWarpRoles::tile_plan(T, S);
  const Coord at = block_origin(P, this_block_tile(T.raster));
  const int slices = ceil_div(args.k, P.block_k);
  if (threadIdx.x == 0) init_ring<P>(P.warps());
  __syncthreads();
  RingPlace<P> place;
  if (threadIdx.x >= P.threads) {
    if constexpr (P.producer_registers > 0) give_registers<P.producer_registers>();
    if (threadIdx.x == P.threads) produce<P>(maps, at, 0, slices, place);
  } else {
    if constexpr (P.registers > 0) take_registers<P.registers>();
    WarpgroupSums<P> sums = {};
    consume<P>(sums, warp_origin(P, threadIdx.x / 32), slices, place);
    store_sums<P>(args, at, sums, threadIdx.x);
  }
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A stage given back while it is still multiplied, stages = 2: race
-    wgmma_wait<1>();  // the slice before has been multiplied
+    wgmma_wait<2>();

A stage that is never given back, stages = 2: deadlock
-    if (slice > 0 && speaks) give_back<P>(before);

The wrong phase, stages = 2: wrong result or race or deadlock
-    mbarrier_wait(ready_barrier<P>(place.stage), place.parity);
+    mbarrier_wait(ready_barrier<P>(place.stage), place.parity ^ 1);
*/
