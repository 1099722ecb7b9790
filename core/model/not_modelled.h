// What of a plan the model does not know: it says so, and takes nothing for another thing.
#pragma once
#include <string>

#include "core/layout/kernel_plan.h"

namespace tilescope::model {

/// "not modelled: wgmma, copies of A"; empty if every part of the plan is known.
std::string not_modelled(const KernelPlan& plan);

}  // namespace tilescope::model
