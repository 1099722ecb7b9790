// What this CTA works on.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/args.h"

namespace tilescope {

/// Index of this CTA in the order of launch.
__device__ __forceinline__ int this_cta() {
  const Launch launch{.grid_x = static_cast<int>(gridDim.x), .grid_y = static_cast<int>(gridDim.y)};
  return launch_index(launch, {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y),
                               static_cast<int>(blockIdx.z)});
}
/// The block tile of a CTA that computes one whole tile (WorkKind::one_tile); the grid has
/// one CTA per tile.
__device__ __forceinline__ Coord this_block_tile(int raster_group) {
  const Raster raster{static_cast<int>(gridDim.y), static_cast<int>(gridDim.x),
                      raster_group > 0 ? raster_group : 1};
  return raster_tile(raster, this_cta());
}

/// Returns `value`, but the compiler cannot know that it is the same. So it computes again what
/// follows from it, and does not keep results of the first computation in registers until then.
__device__ __forceinline__ int forget(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// The plan's work order for this problem: made here of m, n, k and the grid, since the plan that
/// is compiled in knows none of them.
__device__ __forceinline__ WorkOrder this_work_order(const KernelPlan& plan, const TileConfig& tile,
                                                     int m, int n, int k) {
  WorkOrder work = plan.work;
  set_tiles(work.raster, ceil_div(m, plan.block_m), ceil_div(n, plan.block_n));
  work.raster.group = tile.raster > 0 ? tile.raster : 1;
  work.k_slices = ceil_div(k, plan.block_k);
  work.splits = static_cast<int>(gridDim.z);
  work.ctas = static_cast<int>(gridDim.x);
  return work;
}

}  // namespace tilescope
