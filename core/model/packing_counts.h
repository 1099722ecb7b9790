// What the pass that packs operands before a kernel moves (core/layout/packing.h).
#pragma once
#include "core/layout/packing.h"
#include "core/model/global_access.h"

namespace tilescope::model {

/// Its accesses to global memory, of both operands together; zeros if none is packed.
struct PackingCounts {
  GlobalSum load, store;
};
PackingCounts count_packing(const KernelPlan& plan, const Problem& problem);

}  // namespace tilescope::model
