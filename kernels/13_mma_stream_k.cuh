// 13_mma_stream_k.cuh: the k slices of all tiles shared out evenly to as many CTAs as the card
// holds. Where a tile falls to several of them, its sums meet in global memory.
#pragma once
#include "kernels/11_mma_multistage.cuh"
#ifdef __CUDACC__
#include "kernels/common/gather.cuh"
#endif

namespace tilescope {

struct MmaStreamK {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    KernelInfo info = MmaMultistage::info();
    info.number = 13;
    info.id = "mma_stream_k";
    info.title = "mma Stream-K";
    info.idea = "Share out k slices, not tiles: every CTA gets the same amount of work";
    return info;
  }
  static constexpr Sliders sliders() {
    Sliders s = MmaMultistage::sliders();
    s.add(TileFieldId::splits, 0, 0, 1, 2, 3, 4, 6, 8, 12, 16, 32);
    s.add(TileFieldId::min_ctas, 1, 1, 2, 3, 4);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) { return MmaMultistage::rules(tile); }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return MmaMultistage::specialization(tile, p);
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k = MmaMultistage::tile_plan(tile, s);
    k.min_ctas = tile.min_ctas;
    if (tile.splits == 1) return k;
    k.work.kind = tile.splits == 0 ? WorkKind::stream_k : WorkKind::split_k;
    k.work.splits = tile.splits == 0 ? 1 : tile.splits;
    // The ring is free for the next work item; sums are stored, or have come.
    if (tile.splits == 0) {
      k.syncs.add({.kind = SyncKind::cta_barrier, .when = SyncWhen::after_slices});
      k.syncs.add({.kind = SyncKind::flag, .when = SyncWhen::shared_tile});
    }
    k.syncs.add({.kind = SyncKind::cta_barrier,
                 .when = SyncWhen::shared_tile,
                 .count = tile.splits == 0 ? 1 : 2});
    return k;
  }
};

#ifdef __CUDACC__
/// The loop over k needs all registers, and so do sums that become C: what is known of the work is
/// found out again around them.
template <KernelPlan P, TileConfig T>
__device__ __forceinline__ WorkOrder work_again(const GemmArgs& args) {
  return this_work_order(P, T, forget(args.m), forget(args.n), forget(args.k));
}

template <TileConfig T, Specialization S>
__device__ void mma_stream_k(const GemmArgs& args) {
  constexpr KernelPlan P = MmaStreamK::tile_plan(T, S);
#pragma unroll 1
  for (int i = 0;; ++i) {
    const WorkOrder work = work_again<P, T>(args);
    const int cta = forget(this_cta());
    if (i >= work_items(work, cta)) break;
    const WorkItem item = work_item(work, cta, i);
    Ring<P> ring(args, block_origin(P, item.tile), item.k_begin, item.k_end);
    Sums<P> acc = {};
    ring.multiply(acc);
    if constexpr (stays(P.work)) __syncthreads();
    if constexpr (shares_tiles(P.work)) {
      const WorkOrder again = work_again<P, T>(args);
      const int here = forget(this_cta());
      const WorkItem part = work_item(again, here, forget(i));
      if (part.partial && !gather<P>(args, again, part, here, WholeCta(), flat(acc))) continue;
    }
    const WorkItem done = work_item(work_again<P, T>(args), forget(this_cta()), forget(i));
    store_sums<P>(args, block_origin(P, done.tile), acc);
  }
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

Parts that are not brought together, splits = 0: wrong result
-      if (part.partial && !gather<P>(args, again, part, here, WholeCta(), flat(acc))) continue;
*/
