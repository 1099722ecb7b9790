// How long the SMs take for a launch, in cycles: CTAs of an SM share its units, and each waits for
// memory, for barriers and for the results of its own instructions. What is fitted stands in
// time_constants.h; how far the model is off in docs/performance.md, "The time model".
#pragma once
#include <optional>

#include "core/layout/kernel_plan.h"
#include "core/model/device_table.h"
#include "core/model/time_constants.h"
#include "core/model/traffic.h"

namespace tilescope::model {

/// What the compiler has made of the kernel. Unknown: estimated from the plan.
struct CompiledFacts {
  std::optional<int> registers;  // per thread
  int spill_bytes = 0;           // per thread

  bool operator==(const CompiledFacts&) const = default;
};

/// Units of an SM that a slice of k occupies.
enum class Unit { math, issue, shared, l1, l2 };
inline constexpr int kUnits = 5;

/// Cycles; of one CTA and one slice of k where nothing else is said.
struct SmTime {
  double math = 0;    // FFMA or mma at the measured rate
  double issue = 0;   // of the four schedulers
  double shared = 0;  // wavefronts of loads, stores, copies and spills
  double l1 = 0;      // wavefronts of loads from global memory: the same data path as shared
  double l2 = 0;      // bytes over what an SM can take, or requests for lines if they take longer
  Unit busiest = Unit::math;

  double ideal = 0;    // of the launch: the busiest unit, had every SM as much to do
  double clash = 0;    // more, as units wait for each other
  double idle = 0;     // more, as some SMs have less to do than the one with most
  double latency = 0;  // more, as waiting is not hidden by other warps and stages
  double sums = 0;     // prologue, C, and parts of sums

  double cycles() const { return ideal + clash + idle + latency + sums; }
};

/// `dram_read`: bytes of A and B that the kernel reads from DRAM.
SmTime sm_time(const KernelPlan& plan, const Launch& launch, const Traffic& traffic,
               const DeviceRow& device, const CompiledFacts& compiled, double dram_read,
               const TimeConstants& constants = kTimeConstants);

/// CTAs that an SM holds, by the compiler's registers where they are known, else by an estimate.
int expected_ctas_per_sm(const KernelPlan& plan, const Launch& launch, const DeviceLimits& limits,
                         std::optional<int> registers = std::nullopt);

}  // namespace tilescope::model
