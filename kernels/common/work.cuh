// What this CTA works on.
#pragma once
#include "core/layout/launch.h"
#include "core/layout/work_order.h"

namespace tilescope {

/// Index of this CTA in the order of launch.
__device__ __forceinline__ int this_cta() {
  const Launch launch{.grid_x = static_cast<int>(gridDim.x), .grid_y = static_cast<int>(gridDim.y)};
  return launch_index(launch, {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y),
                               static_cast<int>(blockIdx.z)});
}
/// The block tile of a CTA that computes one whole tile (WorkKind::one_tile); the grid has a CTA a
/// tile.
__device__ __forceinline__ Coord this_block_tile(int raster_group) {
  const Raster raster{static_cast<int>(gridDim.y), static_cast<int>(gridDim.x),
                      raster_group > 0 ? raster_group : 1};
  return raster_tile(raster, this_cta());
}

}  // namespace tilescope
