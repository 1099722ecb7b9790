// 12_mma_persistent.cuh: CTAs that stay and take tile after tile: while the sums of one tile become
// C, the first k slices of the next are already on their way.
#pragma once
#include "kernels/11_mma_multistage.cuh"

namespace tilescope {

struct MmaPersistent {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    KernelInfo info = MmaMultistage::info();
    info.number = 12;
    info.id = "mma_persistent";
    info.title = "mma persistent";
    info.idea = "CTAs stay and take tile after tile: the next one's loads overlap the stores";
    return info;
  }
  static constexpr Sliders sliders() {
    Sliders s = MmaMultistage::sliders();
    s.add(TileFieldId::min_ctas, 1, 1, 2, 3, 4);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) { return MmaSync::rules(tile); }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return MmaMultistage::specialization(tile, p);
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k = MmaMultistage::tile_plan(tile, s);
    k.min_ctas = tile.min_ctas;
    k.work.kind = WorkKind::persistent;
    // The ring is free for the next tile, whose copies are issued before C is stored.
    k.syncs.add({.kind = SyncKind::cta_barrier, .when = SyncWhen::after_slices});
    k.epilogue.overlaps_next = true;
    return k;
  }
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void mma_persistent(const GemmArgs& args) {
  constexpr KernelPlan P = MmaPersistent::tile_plan(T, S);
  const WorkOrder work = this_work_order(P, T, args.m, args.n, args.k);
  const int cta = this_cta(), items = work_items(work, cta);
  if (items == 0) return;
  const auto origin = [&](int item) { return block_origin(P, work_item(work, cta, item).tile); };
  Coord at = origin(0);
  Ring<P> ring(args, at, 0, work.k_slices);
#pragma unroll 1
  for (int i = 0; i < items; ++i) {
    Sums<P> sums = {};
    ring.multiply(sums);
    __syncthreads();
    const Coord done = at;
    if (i + 1 < items) {
      at = origin(i + 1);
      ring = Ring<P>(args, at, 0, work.k_slices);
    }
    store_sums<P>(args, done, sums);
  }
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A missing barrier, stages = 4: race or copy_pending
-    __syncthreads();
     const Coord done = at;
*/
