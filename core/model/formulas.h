// Where each number of the model comes from: the formula in symbols, the same with the present
// numbers put in, and its value. Made for tooltips, `model` and tests, which compare the value with
// what was counted.
#pragma once
#include <string>
#include <vector>

#include "core/model/occupancy.h"
#include "core/model/prediction.h"
#include "core/model/traffic.h"

namespace tilescope::model {

struct Formula {
  std::string key;      // "shared.read"
  std::string title;    // "Shared memory, read"
  std::string symbols;  // "CTAs · slices · …"
  std::string numbers;  // "64 · 16 · …"
  double value = 0;
  std::string unit;   // "B", "CTAs", "µs"; empty = none
  bool exact = true;  // false: modelled, shown with ~
};

/// Everything that a kernel at one tile on one problem and device is asked about.
struct Analysis {
  KernelPlan plan;
  Problem problem;
  Launch launch;
  DeviceRow device;
  Traffic traffic;
  std::optional<double> dram_read;  // bytes, by the simulation of the L2
  Occupancy occupancy;
  Waves waves;
  Prediction prediction;
  Ratios ratios;
};
/// The tile must be legal. `dram_read` as in predict().
Analysis analyse(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                 const DeviceRow& device, const CompiledFacts& compiled = {},
                 std::optional<double> dram_read = std::nullopt);

/// With the traffic of this plan and problem, where it is counted already: a walk over its lanes.
Analysis analyse(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                 const DeviceRow& device, const Traffic& counted,
                 const CompiledFacts& compiled = {},
                 std::optional<double> dram_read = std::nullopt);

/// In elements no formula has a size of one: values are elements, intensities FLOP per element.
std::vector<Formula> traffic_formulas(const Analysis& a, Count count = Count::bytes);
std::vector<Formula> launch_formulas(const Analysis& a);  // shared bytes, occupancy, waves, time
std::vector<Formula> all_formulas(const Analysis& a);

}  // namespace tilescope::model
