// One warp instruction that reads shared memory, lane by lane: what the ldmatrix and the shared
// memory tab draw, and what core/model counts.
#pragma once
#include <cstdint>
#include <vector>

#include "viz/scene/selection.h"

namespace tilescope::viz {

struct SharedAccess {
  SharedTile tile;
  int bytes = 16;                // per lane
  std::vector<Coord> element;    // [outer, k] in the block tile, first of what the lane reads
  std::vector<int64_t> address;  // byte offset in the stage, of each lane
  int lanes_per_phase = 8;
  int phases = 4;
  bool by_ldmatrix = false;
  int wavefronts = 0, ideal = 0;
  std::vector<int> per_phase;  // wavefronts
};

/// The load of operand A or B for the chosen mma tile (or the first run of a thread tile).
/// `swizzle` takes the place of the tile's own.
SharedAccess shared_access(const KernelPlan& plan, const Selection& s, const Moment& at, Operand o,
                           Swizzle swizzle);
inline SharedAccess shared_access(const KernelPlan& plan, const Selection& s, const Moment& at,
                                  Operand o) {
  return shared_access(plan, s, at, o, shared_of(plan, o).swizzle);
}
/// First [outer, k] in the block tile of what one ldmatrix brings.
Coord ldmatrix_origin(const KernelPlan& plan, const Selection& s, const Moment& at, Operand o);

}  // namespace tilescope::viz
