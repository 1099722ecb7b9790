// What of a plan the model does not know, or knows without having been compared with a card: it
// says so, and takes nothing for another thing.
#pragma once
#include <string>

#include "core/layout/kernel_plan.h"

namespace tilescope::model {

/// "not modelled: wgmma, copies of A"; empty if every part of the plan is known.
std::string not_modelled(const KernelPlan& plan);

/// "never measured: wgmma, copies by TMA"; empty if launches of the kind were among those that the
/// model of time was fitted to and judged by (tests/fixtures/model).
std::string not_measured(const KernelPlan& plan, int spill_bytes);

}  // namespace tilescope::model
