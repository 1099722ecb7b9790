// Sums of a tile of which several CTAs have computed parts of k: they meet in the workspace.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/args.h"
#include "kernels/common/pointer.cuh"
#include "kernels/common/ptx.cuh"
#include "kernels/common/vector.cuh"

namespace tilescope {

/// A thread's sums, one after the other.
template <class Sums>
__device__ __forceinline__ float (&flat(Sums& sums))[sizeof(Sums) / sizeof(float)] {
  return reinterpret_cast<float(&)[sizeof(Sums) / sizeof(float)]>(sums);
}

/// Who brings sums together: all threads of a CTA …
struct WholeCta {
  static __device__ __forceinline__ int counter() { return 0; }
  static __device__ __forceinline__ bool speaks() { return threadIdx.x == 0; }
  static __device__ __forceinline__ void sync() { __syncthreads(); }
  static __device__ __forceinline__ bool any(bool value) { return __syncthreads_or(value); }
};
/// … or each warp its own, by a counter of its own, as others of its CTA have other things to do.
struct OneWarp {
  static __device__ __forceinline__ int counter() { return threadIdx.x / 32; }
  static __device__ __forceinline__ bool speaks() { return threadIdx.x % 32 == 0; }
  static __device__ __forceinline__ void sync() { __syncwarp(); }
  static __device__ __forceinline__ bool any(bool value) { return __any_sync(~0u, value); }
};

/// Where this thread's sums lie in the part of CTA `cta` in the workspace.
template <KernelPlan P>
__device__ __forceinline__ unsigned long long part_of(const GemmArgs& args, const WorkOrder& work,
                                                      int cta) {
  return args.workspace + part_offset(work, part_bytes(P), cta) +
         sums_offset(P.threads, 0, threadIdx.x);
}
template <KernelPlan P, int Count>
__device__ __forceinline__ void store_part(unsigned long long part, const float (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count / kSumsPerAccess; ++i) {
    float four[kSumsPerAccess];
#pragma unroll
    for (int v = 0; v < kSumsPerAccess; ++v) four[v] = sums[i * kSumsPerAccess + v];
    store_global(part + sums_offset(P.threads, i, 0), four);
  }
}
template <KernelPlan P, int Count>
__device__ __forceinline__ void add_part(float (&sums)[Count], unsigned long long part) {
#pragma unroll
  for (int i = 0; i < Count / kSumsPerAccess; ++i) {
    float four[kSumsPerAccess];
    load_global(four, part + sums_offset(P.threads, i, 0));
#pragma unroll
    for (int v = 0; v < kSumsPerAccess; ++v) sums[i * kSumsPerAccess + v] += four[v];
  }
}

/// Brings the parts of a tile together that several CTAs share. True where the sums are then those
/// of the whole tile; parts are added in the order of k, whoever comes first. Leaves the tile's
/// counters zero.
template <KernelPlan P, class Who, int Count>
__device__ __forceinline__ bool gather(const GemmArgs& args, const WorkOrder& work,
                                       const WorkItem& item, int cta, Who who,
                                       float (&sums)[Count]) {
  const TileParts parts = tile_parts(work, item.tile);
  unsigned* arrived =
      global_pointer<unsigned>(args.workspace + counter_offset(work, item.tile, who.counter()));
  const bool waits = keeps_part(work, item);
  if (!waits) store_part<P>(part_of<P>(args, work, cta), sums);
  if (work.kind == WorkKind::stream_k) {
    // The other parts are the first items of their CTAs: they come soon.
    if (waits && who.speaks()) wait_for(arrived, parts.count - 1);
    who.sync();
    if (!waits && who.speaks()) arrive(arrived);
    if (!waits) return false;
  } else {
    who.sync();
    const bool last = who.speaks() && arrive(arrived) == parts.count - 1;
    if (!who.any(last)) return false;
#pragma unroll
    for (int i = 0; i < Count; ++i) sums[i] = 0;
  }
  if (who.speaks()) *arrived = 0;
#pragma unroll 1
  for (int part = first_given_part(work); part < parts.count; ++part) {
    add_part<P>(sums, part_of<P>(args, work, parts.cta(part)));
  }
  return true;
}

}  // namespace tilescope
