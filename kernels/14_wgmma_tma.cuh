// 14_wgmma_tma.cuh: Hopper's own way. One thread asks for whole boxes, which the copy engine puts
// into shared memory swizzled; a warpgroup multiplies them from there: no operand goes through
// registers.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/args.h"
#include "kernels/common/tensor_maps.h"
#ifdef __CUDACC__
#include "kernels/common/epilogue.cuh"
#include "kernels/common/tma.cuh"
#include "kernels/common/wgmma.cuh"
#include "kernels/common/work.cuh"
#else
#include "core/layout/packing.h"
#include "core/layout/rules.h"
#include "core/layout/wgmma_shared.h"
#include "kernels/common/info.h"
#endif

namespace tilescope {

struct WgmmaTma {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return {
        .number = 14,
        .id = "wgmma_tma",
        .title = "wgmma + TMA",
        .idea = "Copies by boxes, products straight from shared memory: threads only give orders",
        .types = kHalfToFloat | kBfloatToFloat | kHalf,
        .default_types = kHalfToFloat,
        .layouts = kNN | kNT | kTN | kTT,
        .default_layout = kTN,
        .min_sm = 90,
        .only_sm = 90};
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 128, 64, 128, 192);
    s.add(TileFieldId::block_n, 128, 16, 32, 64, 96, 128, 160, 192, 224, 256);
    s.add(TileFieldId::block_k, 64, 32, 64, 128);
    s.add(TileFieldId::swizzle, 1, 0, 1);
    s.add(TileFieldId::stages, 4, 2, 3, 4, 5, 6, 7, 8);
    s.add(TileFieldId::raster, 8, 1, 2, 4, 8, 16, 32);
    return s;
  }
  static constexpr Violation rules(const TileConfig&) { return {}; }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = specialize(p, tile.block_m, tile.block_n, tile.block_k);
    // A tensor map has lines that begin at multiples of 16 bytes; what has not is packed.
    const int width_a = packed_width(p, Operand::a), width_b = packed_width(p, Operand::b);
    s.pack_a = s.width_a < width_a, s.pack_b = s.width_b < width_b;
    s.width_a = width_a, s.width_b = width_b;
    // Accumulators lie in pairs along rows.
    s.width_c = min_of(s.width_c, s.order_c == Order::row_major ? 2 : 1);
    s.edge_k = false;  // boxes are filled with zeros there
    return s;
  }
#endif

  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k = ring_plan(tile, s, tile.block_m);
    add_mbarriers(k, tile.stages);
    k.syncs.add({.kind = SyncKind::cta_barrier, .when = SyncWhen::before_slices});
    k.syncs.add({.kind = SyncKind::mbarrier});
    k.syncs.add({.kind = SyncKind::product_wait});
    k.syncs.add({.kind = SyncKind::cta_barrier});
    return k;
  }
  /// A ring that boxes fill and warpgroups of `warp_m` rows each multiply from.
  static constexpr KernelPlan ring_plan(const TileConfig& tile, const Specialization& s,
                                        int warp_m) {
    KernelPlan k;
    k.spec = s;
    k.block_m = tile.block_m, k.block_n = tile.block_n, k.block_k = tile.block_k;
    k.warp_m = warp_m, k.warp_n = tile.block_n;
    k.atom = make_mma({.kind = MmaKind::wgmma,
                       .m = 64,
                       .n = tile.block_n,
                       .k = kWgmmaLineBytes / element_bytes(s.type_a),
                       .type_a = multiplied_as(s.type_a),
                       .type_b = multiplied_as(s.type_b)});
    k.atom.a_in_shared = true;
    k.warps_m = ceil_div(k.block_m, warp_m);
    k.threads = k.atom.threads() * k.warps_m;
    const SharedTile a = shared_tile(k.block_m, k.block_k, s.order_a == Order::row_major,
                                     element_bytes(s.type_a), tile.swizzle != 0);
    const SharedTile b = shared_tile(k.block_n, k.block_k, s.order_b == Order::column_major,
                                     element_bytes(s.type_b), tile.swizzle != 0);
    set_ring(k, a, b, tile.stages);
    k.copy_a = tensor_copy(k.shared_a()), k.copy_b = tensor_copy(k.shared_b());
    k.epilogue.width = s.width_c;
    return k;
  }

 private:
  /// Of a float tensor cores see what TF32 has of it.
  static constexpr ElementType multiplied_as(ElementType type) {
    return type == ElementType::f32 ? ElementType::tf32 : type;
  }
  /// Lines as in global memory, cut to panels: the widest swizzle whose rows the lines are made of.
  static constexpr SharedTile shared_tile(int outer, int depth, bool k_lines, int bytes,
                                          bool swizzled) {
    SharedTile tile{.present = true, .outer = outer, .depth = depth, .bytes_per_element = bytes};
    tile.k_contiguous = k_lines;
    const int line = (k_lines ? depth : outer) * bytes;
    if (swizzled) {
      tile.swizzle = line % 128 == 0 ? Swizzle::b128 : line % 64 == 0 ? Swizzle::b64 : Swizzle::b32;
    }
    tile.pitch = wgmma_line_bytes(tile.swizzle);
    tile.panel = tile.pitch / bytes;
    return tile;
  }
};

#ifdef __CUDACC__

/// Sums of a warpgroup's tile: [atoms along m] of those that a thread has of each.
template <KernelPlan P>
using WarpgroupSums = float[mmas_m(P)][P.atom.c.values()];

/// The ring's places in shared memory.
template <KernelPlan P>
struct TensorRing {
  static __device__ __forceinline__ unsigned begin() {
    // [stages] of A [block_m, block_k], then B [block_k, block_n]; lines as in global memory, in
    // panels as wide as the swizzle's rows; then the mbarriers.
    extern __shared__ __align__(1024) unsigned char shared[];
    return shared_address(shared);
  }
  static __device__ __forceinline__ unsigned stage(int number) {
    return begin() + number * P.stage_bytes();
  }
  /// Told when a stage's copies have landed.
  static __device__ __forceinline__ unsigned full(int number) {
    return begin() + mbarriers_at(P) + number * kMbarrierBytes;
  }
  /// Asks for a slice of A and B, of what a cluster shares for its part. One thread.
  static __device__ __forceinline__ void bring(const TensorMaps& maps, Coord at, int slice,
                                               int number, Coord in_cluster = {0, 0}) {
    constexpr Raster kRaster = P.work.raster;
    mbarrier_expect(full(number), P.copied_bytes());  // those that others bring, too
    copy_boxes<P, Operand::a>(stage(number), maps.a, {at.row, slice * P.block_k}, full(number),
                              in_cluster.col, cluster_row(kRaster, in_cluster));
    copy_boxes<P, Operand::b>(stage(number), maps.b, {at.col, slice * P.block_k}, full(number),
                              in_cluster.row, cluster_column(kRaster, in_cluster));
  }
};

/// Where in the ring somebody is, who goes through it stage by stage.
template <KernelPlan P>
struct RingPlace {
  int stage = 0, parity = 0;

  __device__ __forceinline__ void advance() {
    if (++stage == P.stages()) stage = 0, parity ^= 1;
  }
};

/// C of a block tile, first row and column `at`, from all warpgroups' sums.
template <KernelPlan P>
__device__ __forceinline__ void store_sums(const GemmArgs& args, Coord at,
                                           const WarpgroupSums<P>& sums, int thread) {
  const Coord mine = at + thread_origin(P, thread);
#pragma unroll
  for (int mi = 0; mi < mmas_m(P); ++mi) {
    store_atom<P>(args, mine + mma_origin(P, mi, 0), sums[mi]);
  }
}

template <TileConfig T, Specialization S>
__device__ void wgmma_tma(const GemmArgs& args, const TensorMaps& maps) {
  constexpr KernelPlan P = WgmmaTma::tile_plan(T, S);
  constexpr int kStages = P.stages();
  using Ring = TensorRing<P>;
  const Coord at = block_origin(P, this_block_tile(T.raster));
  const int slices = ceil_div(args.k, P.block_k);
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) mbarrier_init(Ring::full(s), 1);
    fence_mbarrier_init();
    for (int s = 0; s < kStages - 1 && s < slices; ++s) Ring::bring(maps, at, s, s);
  }
  __syncthreads();
  WarpgroupSums<P> sums = {};
  RingPlace<P> place;
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
    mbarrier_wait(Ring::full(place.stage), place.parity);
    wgmma_fence();
    multiply_stage<P>(sums, Ring::stage(place.stage), {0, 0}, slice);
    wgmma_commit();
    wgmma_wait<1>();  // the slice before: its stage is free once all warps are here
    __syncthreads();
    const int next = slice + kStages - 1;
    if (threadIdx.x == 0 && next < slices) {
      Ring::bring(maps, at, next, place.stage == 0 ? kStages - 1 : place.stage - 1);
    }
    place.advance();
  }
  wgmma_wait<0>();
#pragma unroll
  for (int mi = 0; mi < mmas_m(P); ++mi) wgmma_done(sums[mi]);
  store_sums<P>(args, at, sums, threadIdx.x);
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A stage that is filled anew while it is multiplied, stages = 2: race
-    wgmma_wait<1>();  // the slice before: its stage is free once all warps are here
+    wgmma_wait<2>();

Sums that are stored while the last products are added: product_pending
-  wgmma_wait<0>();

A missing wait for the copies: wrong result or race
-    mbarrier_wait(Ring::full(place.stage), place.parity);
*/
