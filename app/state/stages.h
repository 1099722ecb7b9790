// What the stages of shared memory hold at a moment of the trace, as its copies, waits and reads
// until then tell.
#pragma once
#include <vector>

#include "app/state/timeline.h"
#include "core/layout/kernel_plan.h"
#include "viz/scene/tiling/tiling_scene.h"

namespace tilescope {

/// Stage by stage, over all warps. A stage is ready when every warp that filled it has waited for
/// the groups that its copies belong to.
std::vector<viz::StageState> stages_at(const Timeline& timeline, const KernelPlan& plan,
                                       int column);

}  // namespace tilescope
