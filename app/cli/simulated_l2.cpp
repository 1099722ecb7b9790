#include "app/cli/simulated_l2.h"

#include <chrono>

#include "core/model/sm_time.h"

namespace tilescope::cli {

std::optional<SimulatedL2> simulated_l2(const KernelPlan& plan, const Problem& problem,
                                        const model::DeviceRow& device,
                                        std::optional<int> registers) {
  if (!model::can_simulate_l2(plan)) return std::nullopt;
  const int ctas = model::expected_ctas_per_sm(plan, launch_of(plan), device.limits, registers);
  SimulatedL2 s{model::l2_machine(device, ctas), {}};
  const auto begin = std::chrono::steady_clock::now();
  s.traffic = model::simulate_l2(plan, problem, s.machine);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  s.ms = took.count();
  return s;
}

}  // namespace tilescope::cli
