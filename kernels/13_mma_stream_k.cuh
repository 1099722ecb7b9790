// 13_mma_stream_k.cuh: the k slices of all tiles shared out evenly to as many CTAs as the card
// holds. Where a tile falls to several of them, its sums meet in global memory.
#pragma once
#include "kernels/11_mma_multistage.cuh"

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
    k.epilogue.kind = EpilogueKind::workspace;
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
/// Where this thread's sums lie in the part of CTA `cta` in the workspace.
template <KernelPlan P>
__device__ __forceinline__ unsigned long long part_of(const GemmArgs& args, const WorkOrder& work,
                                                      int cta) {
  return args.workspace + part_offset(work, part_bytes(P), cta) +
         sums_offset(P.threads, 0, threadIdx.x);
}
template <KernelPlan P>
__device__ __forceinline__ void store_part(unsigned long long part, const Sums<P>& acc) {
  constexpr int kMmasN = mmas_n(P), kAtoms = mmas_m(P) * kMmasN;
#pragma unroll
  for (int i = 0; i < kAtoms; ++i) {
    store_global(part + sums_offset(P.threads, i, 0), acc[i / kMmasN][i % kMmasN]);
  }
}
template <KernelPlan P>
__device__ __forceinline__ void add_part(Sums<P>& acc, unsigned long long part) {
  constexpr int kMmasN = mmas_n(P), kAtoms = mmas_m(P) * kMmasN;
#pragma unroll
  for (int i = 0; i < kAtoms; ++i) {
    float sums[4];
    load_global(sums, part + sums_offset(P.threads, i, 0));
#pragma unroll
    for (int v = 0; v < 4; ++v) acc[i / kMmasN][i % kMmasN][v] += sums[v];
  }
}

/// Brings the parts of a tile together that several CTAs share. True in the CTA whose sums are then
/// those of the whole tile; parts are added in the order of k, whoever comes first. Leaves the
/// tile's counter zero.
template <KernelPlan P>
__device__ __forceinline__ bool gather(const GemmArgs& args, const WorkOrder& work,
                                       const WorkItem& item, int cta, Sums<P>& acc) {
  const TileParts parts = tile_parts(work, item.tile);
  unsigned* arrived = global_pointer<unsigned>(args.workspace + counter_offset(work, item.tile));
  const bool waits = keeps_part(work, item);
  if (!waits) store_part<P>(part_of<P>(args, work, cta), acc);
  if (work.kind == WorkKind::stream_k) {
    // The other parts are the first items of their CTAs: they come soon.
    if (waits && threadIdx.x == 0) wait_for(arrived, parts.count - 1);
    __syncthreads();
    if (!waits && threadIdx.x == 0) arrive(arrived);
    if (!waits) return false;
  } else {
    __syncthreads();
    const bool last = threadIdx.x == 0 && arrive(arrived) == parts.count - 1;
    if (!__syncthreads_or(last)) return false;
    constexpr int kMmasM = mmas_m(P), kMmasN = mmas_n(P);
#pragma unroll
    for (int mi = 0; mi < kMmasM; ++mi) {
#pragma unroll
      for (int ni = 0; ni < kMmasN; ++ni) {
#pragma unroll
        for (int v = 0; v < 4; ++v) acc[mi][ni][v] = 0;
      }
    }
  }
  if (threadIdx.x == 0) *arrived = 0;
#pragma unroll 1
  for (int part = first_given_part(work); part < parts.count; ++part) {
    add_part<P>(acc, part_of<P>(args, work, parts.cta(part)));
  }
  return true;
}

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
    if constexpr (P.epilogue.kind == EpilogueKind::workspace) {
      const WorkOrder again = work_again<P, T>(args);
      const int here = forget(this_cta());
      const WorkItem part = work_item(again, here, forget(i));
      if (part.partial && !gather<P>(args, again, part, here, acc)) continue;
    }
    const WorkItem done = work_item(work_again<P, T>(args), forget(this_cta()), forget(i));
    store_sums<P>(args, block_origin(P, done.tile), acc);
  }
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A missing wait, splits = 0: wrong result
-    if (waits && threadIdx.x == 0) wait_for(arrived, parts.count - 1);
*/
