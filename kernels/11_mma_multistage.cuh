// 11_mma_multistage.cuh: tensor cores fed from a ring of shared-memory stages: cp.async fills the
// stages ahead while ldmatrix and mma.sync work on the present one.
#pragma once
#include "kernels/10_mma_sync.cuh"
#ifndef __CUDACC__
#include "core/layout/packing.h"
#endif

namespace tilescope {

struct MmaMultistage {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    KernelInfo info = MmaSync::info();
    info.number = 11;
    info.id = "mma_multistage";
    info.title = "mma multi-stage";
    info.idea = "Keep k slices in flight: cp.async fills a ring while tensor cores work";
    info.types |= kHalf;
    return info;
  }
  static constexpr Sliders sliders() {
    Sliders s = MmaSync::sliders();
    s.add(TileFieldId::stages, 3, 2, 3, 4, 5, 6, 7, 8);
    s.add(TileFieldId::raster, 8, 1, 2, 4, 8, 16, 32);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) { return MmaSync::rules(tile); }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = MmaSync::specialization(tile, p);
    // A ring hides only what cp.async brings, sixteen bytes at a time.
    pack_operands(s, p, tile.block_m, tile.block_n);
    return s;
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k = MmaSync::ring_plan(tile, s, tile.stages);
    k.load_a.register_stages = k.load_b.register_stages = 2;
    // The first stages' copies are awaited before the loop; then each slice awaits the next one's.
    k.syncs.add({.kind = SyncKind::copy_wait, .when = SyncWhen::before_slices});
    k.syncs.add({.kind = SyncKind::cta_barrier, .when = SyncWhen::before_slices});
    k.syncs.add({.kind = SyncKind::copy_wait});
    k.syncs.add({.kind = SyncKind::cta_barrier});
    return k;
  }
};

#ifdef __CUDACC__
/// The ring of stages: brings the k slices of block tiles, one after the other, and multiplies
/// them.
template <KernelPlan P>
class Ring {
 public:
  /// `at`: first row and column of the block tile; slices [slice, end) of k. The stages must be
  /// free. Issues the copies of the first ones.
  __device__ __forceinline__ Ring(const GemmArgs& args, Coord at, int slice, int end)
      : copy_a_(args.a, args.lda, at.row, args.m),
        copy_b_(args.b, args.ldb, at.col, args.n),
        end_k_(args.k),
        slice_(slice),
        end_(end) {
#pragma unroll
    for (int s = 0; s < kStages - 1; ++s) bring(slice + s, stage_of(slice + s));
  }

  /// Adds the slices to a warp's sums. All threads of the CTA; the stages are free again after the
  /// next barrier.
  __device__ __forceinline__ void multiply(Sums<P>& sums) {
    const Coord warp_at = warp_origin(P, threadIdx.x / 32);
    const FragmentRows<P, Operand::a> rows_a(warp_at.row, threadIdx.x % 32);
    const FragmentRows<P, Operand::b> rows_b(warp_at.col, threadIdx.x % 32);
    cp_async_wait<kStages - 2>();
    __syncthreads();

    unsigned read = stage_of(slice_), write = stage_of(slice_ + kStages - 1);
    const unsigned ring_end = shared_ring() + kStages * P.stage_bytes();
    Fragments<P> fragments[2];  // one is loaded while the other is multiplied
    fragments[0].load(rows_a, rows_b, read, 0);
#pragma unroll 1
    for (; slice_ < end_; ++slice_) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if (step == 0) {  // the stage that the last slice left is free since the last barrier
          bring(slice_ + kStages - 1, write);
          write = write + P.stage_bytes() == ring_end ? shared_ring() : write + P.stage_bytes();
        }
        if (step == kSteps - 1) {  // the next fragments come from the next slice
          cp_async_wait<kStages - 2>();
          __syncthreads();
          read = read + P.stage_bytes() == ring_end ? shared_ring() : read + P.stage_bytes();
        }
        fragments[(step + 1) % 2].load(rows_a, rows_b, read, (step + 1) % kSteps);
        fragments[step % 2].multiply(sums);
      }
      // An odd number of k steps swaps the roles of the two sets from slice to slice; the loop then
      // runs over one set and the registers are moved at its end.
      if (kSteps % 2 == 1) fragments[0] = fragments[1];
    }
  }

 private:
  static constexpr Specialization S = P.spec;
  static constexpr int kStages = P.stages(), kSteps = mmas_k(P);

  static __device__ __forceinline__ unsigned shared_ring() {
    // [stages] of A [block_m, block_k] half, then B [block_k, block_n] half; lines as in global
    // memory, swizzled.
    extern __shared__ __align__(1024) unsigned char shared[];
    return shared_address(shared);
  }
  static __device__ __forceinline__ unsigned stage_of(int slice) {
    return shared_ring() + stage_of_slice(P, slice) * P.stage_bytes();
  }
  __device__ __forceinline__ void bring(int slice, unsigned stage) {
    if (slice < end_) {
      copy_a_.issue(slice * P.block_k, end_k_, stage);
      copy_b_.issue(slice * P.block_k, end_k_, stage);
    }
    cp_async_commit();  // an empty group too, so that counting groups counts slices
  }

  // A packed operand has zeros up to whole tiles: nothing is to be looked out for.
  SliceCopy<P.copy_a, P.shared_a(), S.edge_m && !S.pack_a, S.edge_k && !S.pack_a> copy_a_;
  SliceCopy<P.copy_b, P.shared_b(), S.edge_n && !S.pack_b, S.edge_k && !S.pack_b> copy_b_;
  int end_k_, slice_, end_;
};

template <TileConfig T, Specialization S>
__device__ void mma_multistage(const GemmArgs& args) {
  constexpr KernelPlan P = MmaMultistage::tile_plan(T, S);
  const Coord at = block_origin(P, this_block_tile(T.raster));
  Ring<P> ring(args, at, 0, ceil_div(args.k, P.block_k));
  Sums<P> sums = {};
  ring.multiply(sums);
  store_sums<P>(args, at, sums);
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A wait for one copy too few, right wherever copies come at once: copy_pending
-          cp_async_wait<kStages - 2>();
+          cp_async_wait<kStages - 1>();
           __syncthreads();

A missing barrier: wrong result or race
           cp_async_wait<kStages - 2>();
-          __syncthreads();
*/
