// How a kernel is launched.
#pragma once
#include "core/layout/layout.h"

namespace tilescope {

/// CTAs of a cluster that every card with clusters can launch.
inline constexpr int kMostClusterCtas = 8;

struct Launch {
  int grid_x = 1, grid_y = 1, grid_z = 1;  // CTAs
  int threads = 1;                         // a CTA, all along x
  int shared_bytes = 0;                    // dynamic
  int min_ctas = 1;                        // per SM, that a card must hold
  int cluster = 1;                         // CTAs of a cluster, along x
  long long workspace_bytes = 0;           // global memory beside the operands, zero at the start

  constexpr long long ctas() const { return 1LL * grid_x * grid_y * grid_z; }

  constexpr bool operator==(const Launch&) const = default;
};

/// blockIdx. In the order of launch x runs first, then y, then z.
struct BlockIndex {
  int x = 0, y = 0, z = 0;
  constexpr bool operator==(const BlockIndex&) const = default;
};
constexpr BlockIndex block_index(const Launch& launch, int cta) {
  return {cta % launch.grid_x, cta / launch.grid_x % launch.grid_y,
          cta / (launch.grid_x * launch.grid_y)};
}
constexpr int launch_index(const Launch& launch, BlockIndex at) {
  return (at.z * launch.grid_y + at.y) * launch.grid_x + at.x;
}

}  // namespace tilescope
