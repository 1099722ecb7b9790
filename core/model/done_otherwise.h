// Where a slider asks for what this problem's lines do not allow, and the kernel does otherwise.
#pragma once
#include <string>

#include "core/layout/kernel_plan.h"

namespace tilescope::model {

/// "by threads: …" below such a slider, what is done and, behind a colon, why; empty where the plan
/// does as `tile` says.
std::string done_otherwise(const KernelPlan& plan, const TileConfig& tile, const Problem& problem,
                           TileFieldId field);

}  // namespace tilescope::model
