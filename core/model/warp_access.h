// What many warp instructions on global memory cost together.
// Rules: docs/architecture.md, "Coalescing and banks".
#pragma once
#include <cstdint>

#include "core/layout/warp_access.h"

namespace tilescope::model {

/// A request to L1 costs its sectors in bandwidth and its lines in tag look-ups; wavefronts: the
/// cycles that the L1 is busy with it (tilescope::global_wavefronts).
struct GlobalCost {
  int sectors = 0, lines = 0, wavefronts = 0;
};
GlobalCost global_cost(const WarpAccess& access, int64_t base = 0);

/// Sums over many warp instructions.
struct GlobalSum {
  uint64_t requests = 0, sectors = 0, lines = 0, wavefronts = 0, bytes = 0;  // bytes: asked
  void add(const WarpAccess& access, int64_t base = 0);
  void add(const GlobalSum& other, uint64_t times);
};

}  // namespace tilescope::model
