// 16_wgmma_cluster.cuh: CTAs in clusters read for each other. What the tiles of a cluster have in
// common comes from the L2 once, and goes to the shared memory of all that need it; CTAs stay and
// take tile after tile. C leaves by boxes meanwhile; where tiles leave CTAs idle, k is cut.
#pragma once
#include "kernels/15_wgmma_warp_roles.cuh"
#ifdef __CUDACC__
#include "kernels/common/box_store.cuh"
#include "kernels/common/cluster.cuh"
#include "kernels/common/gather.cuh"
#else
#include "core/layout/box_store.h"
#endif

namespace tilescope {

struct WgmmaCluster {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    KernelInfo info = WgmmaWarpRoles::info();
    info.number = 16;
    info.id = "wgmma_cluster";
    info.title = "wgmma clusters";
    info.idea = "CTAs in clusters read A and B for each other, and stay for tile after tile";
    return info;
  }
  static constexpr Sliders sliders() {
    Sliders s = WgmmaWarpRoles::sliders();
    s.add(TileFieldId::cluster_m, 2, 1, 2, 4);
    s.add(TileFieldId::cluster_n, 1, 1, 2, 4);
    s.add(TileFieldId::splits, 1, 0, 1, 2, 3, 4, 6, 8, 12, 16, 32);
    s.add(TileFieldId::epilogue, 1, 0, 1);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) {
    const int ctas = tile.cluster_m * tile.cluster_n;
    if (ctas > 1 && tile.splits != 1) {
      return {Rule::cluster_cuts_k, ctas, 1, TileFieldId::splits, TileFieldId::cluster_m};
    }
    return WgmmaWarpRoles::rules(tile);
  }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = WgmmaWarpRoles::specialization(tile, p);
    // Tiles that fill the last clusters up lie outside.
    s.edge_m = s.edge_m || ceil_div(p.m, tile.block_m) % tile.cluster_m != 0;
    s.edge_n = s.edge_n || ceil_div(p.n, tile.block_n) % tile.cluster_n != 0;
    s.boxes_c = tile.epilogue != 0 && stores_boxes(p);
    return s;
  }
#endif

  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k = whole_tiles_plan(tile, s);
    if (tile.splits != 1) cut_slices(k, tile.splits);
    return k;
  }
  static constexpr KernelPlan whole_tiles_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k = WgmmaTma::ring_plan(tile, s, tile.warp_m);
    WgmmaWarpRoles::set_producer(k);
    finish_plan(k, tile, 2);  // of a stage: full, empty
    return k;
  }
  /// Several CTAs share a tile. Each of its warps brings its own sums together, so that nobody
  /// waits for a whole CTA, whose producer has nothing to do with them.
  static constexpr void cut_slices(KernelPlan& k, int splits) {
    k.work.kind = splits == 0 ? WorkKind::stream_k : WorkKind::split_k;
    k.work.splits = splits == 0 ? 1 : splits;
    k.work.counters = k.warps();
    k.epilogue.overlaps_next = stays(k.work);
    if (splits == 0) k.syncs.add({.kind = SyncKind::flag, .when = SyncWhen::shared_tile});
  }
  /// What is the same in all rungs with clusters. `barriers`: mbarriers of a stage.
  static constexpr void finish_plan(KernelPlan& k, const TileConfig& tile, int barriers) {
    if (k.spec.boxes_c) set_box_store(k);
    add_mbarriers(k, barriers * tile.stages);
    set_cluster(k, tile.cluster_m, tile.cluster_n);
    k.work.kind = WorkKind::persistent;
    k.epilogue.overlaps_next = true;  // the producer goes on meanwhile
    k.syncs = cluster_syncs();
  }
  static constexpr Syncs cluster_syncs() {
    Syncs syncs;
    syncs.add({.kind = SyncKind::cluster_barrier, .when = SyncWhen::begin});
    syncs.add({.kind = SyncKind::mbarrier});
    syncs.add({.kind = SyncKind::product_wait});
    syncs.add({.kind = SyncKind::cluster_barrier, .when = SyncWhen::end});
    return syncs;
  }
};

#ifdef __CUDACC__

/// How a warp's sums become C, as the plan's epilogue has it: each thread stores its own …
template <KernelPlan P, bool Boxes = P.epilogue.kind == EpilogueKind::boxes>
struct StoreOfC {
  __device__ __forceinline__ void store(const GemmArgs& args, const TensorMap&, Coord at,
                                        const WarpgroupSums<P>& sums) {
    store_sums<P>(args, at, sums, threadIdx.x);
  }
  __device__ __forceinline__ void finish() {}
};
/// … or the warp lays them out in its buffers, one after the other, and lane 0 sends each on.
template <KernelPlan P>
struct StoreOfC<P, true> {
  int turn = 0;  // which buffer is next

  __device__ __forceinline__ void store(const GemmArgs& args, const TensorMap& map, Coord at,
                                        const WarpgroupSums<P>& sums) {
    constexpr int kOfAtom = boxes_of_atom(P), kValues = box_values(P);
    const int warp = threadIdx.x / 32;
    const Coord mine = at + box_origin(P, warp, 0);
#pragma unroll
    for (int box = 0; box < boxes_of_warp(P); ++box) {
      float values[kValues];
#pragma unroll
      for (int i = 0; i < kValues; ++i) {
        values[i] = sums[box / kOfAtom][box % kOfAtom * kValues + i];
      }
      send(args, map, mine + box_origin(P, 0, box), values, warp * kStoreBuffers + turn);
      turn ^= 1;
    }
  }
  __device__ __forceinline__ void send(const GemmArgs& args, const TensorMap& map, Coord at,
                                       const float (&sums)[box_values(P)], int number) {
    const unsigned buffer = TensorRing<P>::begin() + store_buffer(P, number);
    if (threadIdx.x % 32 == 0) wait_boxes_read<kStoreBuffers - 1>();  // the one before the last
    __syncwarp();
    fill_buffer<P>(args, at, sums, buffer);
    fence_proxy_async();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      send_box(map, box_place(P.epilogue.map, at), buffer);
      commit_boxes();
    }
  }
  /// Before this CTA's shared memory goes.
  __device__ __forceinline__ void finish() {
    if (threadIdx.x % 32 == 0) wait_boxes_read<0>();
  }
};

/// Tile after tile. `consume`: what a consumer does with the slices of one; `prepare`: what those
/// do with them that split them, if the plan has some.
template <KernelPlan P, TileConfig T, class Consume, class Prepare = int>
__device__ __forceinline__ void run_in_clusters(const GemmArgs& args, const TensorMaps& maps,
                                                const Consume& consume,
                                                const Prepare& prepare = {}) {
  const WorkOrder work = this_work_order(P, T, args.m, args.n, args.k);
  const int cta = this_cta(), items = work_items(work, cta);
  const Coord in_cluster = cluster_place(work.raster, cta);
  if (threadIdx.x == 0) init_ring<P>(P.warps() * cluster_readers(work.raster));
  cluster_sync();
  RingPlace<P> place;
  if (threadIdx.x >= P.threads) {
    if constexpr (P.producer_registers > 0) give_registers<P.producer_registers>();
    if (threadIdx.x == P.threads) {
#pragma unroll 1
      for (int i = 0; i < items; ++i) {
        const WorkItem item = work_item(work, cta, i);
        produce<P>(maps, block_origin(P, item.tile), item.k_begin, item.k_end, place, in_cluster);
      }
    }
    if constexpr (P.split.present()) {
      if (threadIdx.x >= split_thread(P)) {
#pragma unroll 1
        for (int i = 0; i < items; ++i) prepare(work.k_slices, place);
      }
    }
    __syncwarp();
  } else {
    if constexpr (P.registers > 0) take_registers<P.registers>();
    StoreOfC<P> c;
    WarpgroupSums<P> sums = {};
#pragma unroll 1
    for (int i = 0; i < items; ++i) {
      const WorkItem item = work_item(work, cta, i);
      const int slices = item.k_end - item.k_begin;
      consume(sums, warp_origin(P, threadIdx.x / 32), slices, place, in_cluster);
      if constexpr (shares_tiles(P.work)) {
        if (item.partial && !gather<P>(args, work, item, cta, OneWarp(), flat(sums))) continue;
      }
      c.store(args, maps.c, block_origin(P, item.tile), sums);
    }
    c.finish();
  }
  cluster_sync();  // the others still give back stages of this CTA
}

template <TileConfig T, Specialization S>
__device__ void wgmma_cluster(const GemmArgs& args, const TensorMaps& maps) {
  constexpr KernelPlan P = WgmmaCluster::tile_plan(T, S);
  run_in_clusters<P, T>(args, maps, [](auto&&... of) { consume<P>(of...); });
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A CTA that ends while others still give stages back, cluster_m = 2: cta_left
-  cluster_sync();  // the others still give back stages of this CTA

A stage that is filled too early, cluster_m = 2, cluster_n = 1, stages = 2: deadlock or race
-  if (threadIdx.x == 0) init_ring<P>(P.warps() * cluster_readers(work.raster));
+  if (threadIdx.x == 0) init_ring<P>(P.warps());

A buffer filled while it is still read, block_n = 128, epilogue = 1: race
-    if (threadIdx.x % 32 == 0) wait_boxes_read<kStoreBuffers - 1>();  // the one before the last
+    if (threadIdx.x % 32 == 0) wait_boxes_read<kStoreBuffers>();

A box sent that stores have not reached, epilogue = 1: proxy
-    fence_proxy_async();

Parts that are not brought together, splits = 0, cluster_m = 1, cluster_n = 1: wrong result
-        if (item.partial && !gather<P>(args, work, item, cta, OneWarp(), flat(sums))) continue;

Barriers that others reach before they are there, cluster_m = 2, cluster_n = 1: deadlock or race
-  cluster_sync();
+  __syncthreads();
*/
