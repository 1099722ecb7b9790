// The slow witness of core/model: every CTA, slice, warp and lane of a small problem, one after
// another, with sets in place of closed forms and classes.
#pragma once
#include "core/model/traffic.h"

namespace tilescope::model {

/// Only counts that the walk can see: loads, stores, copies, shared accesses, products; `lines` of
/// boxes alone.
Counts brute_force(const KernelPlan& plan, const Problem& problem);

}  // namespace tilescope::model
