// CTAs of a cluster among each other: inline PTX, one function per instruction or two.
#pragma once
#include "kernels/common/pointer.cuh"

namespace tilescope {

/// All threads of all CTAs of the cluster; those that have ended do not count. What each wrote
/// before it all see afterwards.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

/// Arrives at the barrier that another CTA has at the same place. It orders nothing for the whole
/// cluster (.release.cluster), which would hold a loop up: what products have read is read.
__device__ __forceinline__ void mbarrier_arrive_at(unsigned barrier, int rank) {
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}\n" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

}  // namespace tilescope
