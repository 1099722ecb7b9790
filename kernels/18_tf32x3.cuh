// 18_tf32x3.cuh: products of floats by tensor cores, which look at the first bits alone. Warps
// beside the one that copies take elements apart, what is seen and the rest, and three products
// instead of one give single precision again.
#pragma once
#include "kernels/17_fp8.cuh"

namespace tilescope {

struct Tf32x3 {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    KernelInfo info = WgmmaCluster::info();
    info.number = 18;
    info.id = "tf32x3";
    info.title = "3×TF32";
    info.idea = "Floats in two parts, three products of them: single precision by tensor cores";
    info.types = info.default_types = kFloat;
    info.layouts = info.default_layout = kTN;  // the instruction reads lines along k alone
    return info;
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 128, 64, 128, 192, 256);
    s.add(TileFieldId::block_n, 128, 16, 32, 64, 96, 128, 160, 192, 224, 256);
    s.add(TileFieldId::block_k, 32, 16, 32, 64);
    s.add(TileFieldId::warp_m, 64, 64, 128);
    s.add(TileFieldId::promote, 1, 0, 1, 2, 4, 8, 16);
    s.add(TileFieldId::swizzle, 1, 0, 1);
    s.add(TileFieldId::stages, 3, 2, 3, 4, 5, 6, 7, 8);
    s.add(TileFieldId::raster, 8, 1, 2, 4, 8, 16, 32);
    s.add(TileFieldId::cluster_m, 2, 1, 2, 4);
    s.add(TileFieldId::cluster_n, 1, 1, 2, 4);
    s.add(TileFieldId::epilogue, 0, 0, 1);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) { return WgmmaWarpRoles::rules(tile); }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return WgmmaCluster::specialization(tile, p);
  }
#endif

  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    // Beside the producer's warp three others of its warpgroup split, who need some registers.
    constexpr int kSplitThreads = 96, kTheirRegisters = 40;
    KernelPlan k = WgmmaTma::ring_plan(tile, s, tile.warp_m);
    WgmmaWarpRoles::set_producer(k, kTheirRegisters);
    set_split(k, kSplitThreads);
    WgmmaCluster::finish_plan(k, tile, 3);  // of a stage: full, empty, split
    k.promote = tile.promote;
    return k;
  }
};

#ifdef __CUDACC__

/// What tensor cores do not see of a float, rounded to what they see of that. Of an infinite one
/// NaN.
__device__ __forceinline__ unsigned rest_of(unsigned bits) {
  const float rest = __uint_as_float(bits) - __uint_as_float(bits & ~kCutOff);
  return __float_as_uint(rest) + (kCutOff + 1) / 2;
}

/// One thread's part of a stage.
template <KernelPlan P>
__device__ __forceinline__ void split_stage(unsigned stage, int thread) {
  constexpr int kAtOnce = 4;  // loads on their way before the first is waited for
#pragma unroll 1
  for (int first = 0; first < P.split.accesses(); first += kAtOnce) {
    unsigned words[kAtOnce][4];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int offset = P.split.offset(thread, first + i);
      if (offset < P.split.bytes) load_shared(words[i], stage + offset);
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int offset = P.split.offset(thread, first + i);
#pragma unroll
      for (int j = 0; j < 4; ++j) words[i][j] = rest_of(words[i][j]);
      if (offset < P.split.bytes) store_shared(stage + P.split.rests + offset, words[i]);
    }
  }
}

/// Slices of a block tile, as they land.
template <KernelPlan P>
__device__ __forceinline__ void split_slices(int slices, RingPlace<P>& place) {
  const int thread = static_cast<int>(threadIdx.x) - split_thread(P);
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
    mbarrier_wait(TensorRing<P>::full(place.stage), place.parity);
    split_stage<P>(TensorRing<P>::stage(place.stage), thread);
    fence_proxy_async();  // products read what was stored
    __syncwarp();
    if (thread % 32 == 0) mbarrier_arrive(ready_barrier<P>(place.stage));
    place.advance();
  }
}

template <TileConfig T, Specialization S>
__device__ void tf32x3(const GemmArgs& args, const TensorMaps& maps) {
  constexpr KernelPlan P = Tf32x3::tile_plan(T, S);
  run_in_clusters<P, T>(
      args, maps, [](auto&&... of) { consume_promoted<P>(of...); },
      [](auto&&... of) { split_slices<P>(of...); });
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

Rests that products do not see: proxy
-    fence_proxy_async();  // products read what was stored

Rests that take the place of what they are of: race or wrong result
-      if (offset < P.split.bytes) store_shared(stage + P.split.rests + offset, words[i]);
+      if (offset < P.split.bytes) store_shared(stage + offset, words[i]);
*/
