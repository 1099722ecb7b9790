// What many warp instructions on global memory cost together.
// Rules: core/layout/warp_access.h.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/layout/mapping.h"
#include "core/layout/warp_access.h"

namespace tilescope::model {

/// A request to L1 costs its sectors in bandwidth and its lines in tag look-ups; wavefronts: the
/// cycles that the L1 is busy with it (tilescope::global_wavefronts).
struct GlobalCost {
  int sectors = 0, lines = 0, wavefronts = 0;
};
GlobalCost global_cost(const WarpAccess& access, int64_t base = 0);

/// Copies by boxes, and cp.async of 16 bytes, which exists only in the form that leaves nothing in
/// L1.
constexpr bool passes_l1_by(const CopyMap& map) {
  return by_boxes(map.kind) || (asynchronous(map.kind) && map.access_bytes() == 16);
}
/// Where a copy to shared memory reads, and, if it bypasses the L1, where it writes: how many
/// sectors such a copy fetches depends on both.
struct CopyAccess {
  WarpAccess global;
  std::optional<WarpAccess> shared;
};

/// One box of a tensor copy: its lines, as far as they lie in the matrix.
struct BoxAccess {
  std::vector<int64_t> lines;  // bytes from the block's first element
  int bytes = 0;               // of a line
};

/// Warp instructions that lie alike in lines of 128 bytes, and so cost the same.
struct LikeAccesses {
  WarpAccess access;
  uint64_t times = 1;
};

/// Sums over many warp instructions.
struct GlobalSum {
  uint64_t requests = 0, sectors = 0, lines = 0, wavefronts = 0, bytes = 0;  // bytes: asked
  uint64_t fetched = 0;  // sectors that copies past the L1 fetch (tilescope::fetched_sectors)
  void add(const WarpAccess& access, int64_t base = 0);
  void add(const LikeAccesses& like, int64_t base = 0);
  void add(const CopyAccess& copy, int64_t base = 0);
  void add(const BoxAccess& box, int64_t base = 0);
  void add(const GlobalSum& other, uint64_t times);
};

}  // namespace tilescope::model
