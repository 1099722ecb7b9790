// The time a launch should take: each level's traffic over its bandwidth, the slowest decides.
// An upper bound on speed, not a simulation: always shown with a ~.
#pragma once
#include <string>
#include <vector>

#include "core/model/device_table.h"
#include "core/model/occupancy.h"
#include "core/model/traffic.h"

namespace tilescope::model {

struct LevelTime {
  const char* name;  // "tensor cores", "fp32 units", "shared memory", "L1 requests", "L2", "DRAM"
  double us = 0;     // if nothing else took time
};

/// What an empty kernel takes from launch to end, about: no launch is shorter.
inline constexpr double kLaunchUs = 2;

struct Prediction {
  double us = 0;
  double tflops = 0;
  double pass_us = 0;          // of `us`, the pass that packs operands before the kernel
  const char* bound = "";      // name of the slowest level, or "the launch"
  double wave_efficiency = 0;  // CTAs / (SMs · ⌈CTAs / SMs⌉)
  std::vector<LevelTime> levels;
};

Prediction predict(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                   const Traffic& traffic, const DeviceRow& device);

/// FLOP per byte of DRAM bandwidth at which the device turns from memory- to compute-bound, of the
/// problem at best (each matrix once), and of the kernel's own traffic from L2.
struct Ratios {
  double device = 0, problem = 0, kernel = 0;
  bool compute_bound = false;  // kernel ratio against the device's
};
Ratios ratios(const KernelPlan& plan, const Problem& problem, const Traffic& traffic,
              const DeviceRow& device);

}  // namespace tilescope::model
