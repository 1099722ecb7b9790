// The simulation of the L2 as commands ask for it.
#pragma once
#include <optional>

#include "core/layout/kernel_plan.h"
#include "core/layout/problem.h"
#include "core/model/device_table.h"
#include "core/model/l2_simulation.h"

namespace tilescope::cli {

struct SimulatedL2 {
  model::L2Machine machine;
  model::L2Traffic traffic;
  double ms = 0;  // that it took
};
/// Nothing where the grid has too many tiles.
std::optional<SimulatedL2> simulated_l2(const KernelPlan& plan, const Problem& problem,
                                        const model::DeviceRow& device,
                                        std::optional<int> registers);

}  // namespace tilescope::cli
