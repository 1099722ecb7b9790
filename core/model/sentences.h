// Why a tile is illegal, in one sentence for people: the value, the limit and the way out.
#pragma once
#include <string>

#include "core/layout/rules.h"

namespace tilescope::model {

/// One sentence without a full stop; empty for Rule::none. `plan` tells which types the kernel
/// takes and how it fills shared memory; where the tile allows no plan (a value not offered), any
/// plan of the same kernel will do: the numbers come from `violation` and `tile`.
std::string sentence(const Violation& violation, const TileConfig& tile, const Problem& problem,
                     const KernelPlan& plan, const DeviceLimits& device);

}  // namespace tilescope::model
