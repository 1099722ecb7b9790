// 17_fp8.cuh: operands of eight bits, so twice the products. The tensor core sums them up with 13
// bits behind the point: what it has of some slices goes to sums in registers before more is lost.
#pragma once
#include "kernels/16_wgmma_cluster.cuh"

namespace tilescope {

struct Fp8 {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    KernelInfo info = WgmmaCluster::info();
    info.number = 17;
    info.id = "fp8";
    info.title = "FP8";
    info.idea = "Operands of eight bits; sums move to registers before the narrow adders lose them";
    info.types = kEightBits | kGradientBits;
    info.default_types = kEightBits;
    info.layouts = kTN;  // the instruction reads lines along k alone
    info.default_layout = kTN;
    return info;
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 128, 64, 128, 192, 256);
    s.add(TileFieldId::block_n, 192, 16, 32, 64, 96, 128, 160, 192, 224, 256);
    s.add(TileFieldId::block_k, 128, 32, 64, 128, 256);
    s.add(TileFieldId::warp_m, 64, 64, 128);
    s.add(TileFieldId::promote, 1, 0, 1, 2, 4, 8, 16);
    s.add(TileFieldId::swizzle, 1, 0, 1);
    s.add(TileFieldId::stages, 4, 2, 3, 4, 5, 6, 7, 8);
    s.add(TileFieldId::raster, 8, 1, 2, 4, 8, 16, 32);
    s.add(TileFieldId::cluster_m, 2, 1, 2, 4);
    s.add(TileFieldId::cluster_n, 1, 1, 2, 4);
    s.add(TileFieldId::epilogue, 1, 0, 1);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) { return WgmmaWarpRoles::rules(tile); }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return WgmmaCluster::specialization(tile, p);
  }
#endif

  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k = WgmmaCluster::whole_tiles_plan(tile, s);
    k.promote = tile.promote;
    return k;
  }
};

#ifdef __CUDACC__

/// `consume`, for some slices at a time; then what they have is added to the sums.
template <KernelPlan P>
__device__ __forceinline__ void consume_promoted(WarpgroupSums<P>& sums, Coord mine, int slices,
                                                 RingPlace<P>& place, Coord in_cluster) {
  if constexpr (P.promote == 0) {
    consume<P>(sums, mine, slices, place, in_cluster);
  } else {
    WarpgroupSums<P> part = {};
#pragma unroll
    for (int mi = 0; mi < mmas_m(P); ++mi) {
#pragma unroll
      for (int i = 0; i < P.atom.c.values(); ++i) sums[mi][i] = 0;
    }
#pragma unroll 1
    for (int left = slices; left > 0; left -= P.promote) {
      consume<P>(part, mine, min_of(left, P.promote), place, in_cluster);
#pragma unroll
      for (int mi = 0; mi < mmas_m(P); ++mi) {
#pragma unroll
        for (int i = 0; i < P.atom.c.values(); ++i) sums[mi][i] += part[mi][i];
      }
    }
  }
}

template <TileConfig T, Specialization S>
__device__ void fp8(const GemmArgs& args, const TensorMaps& maps) {
  constexpr KernelPlan P = Fp8::tile_plan(T, S);
  run_in_clusters<P, T>(args, maps, [](auto&&... of) { consume_promoted<P>(of...); });
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

Sums that take the place of others, promote = 1: wrong result
-        for (int i = 0; i < P.atom.c.values(); ++i) sums[mi][i] += part[mi][i];
+        for (int i = 0; i < P.atom.c.values(); ++i) sums[mi][i] = part[mi][i];

Slices that are asked for twice, promote = 2: deadlock or race or wrong result
-    for (int left = slices; left > 0; left -= P.promote) {
+    for (int left = slices; left > 0; left -= 1) {
*/
