// Where each number of the model comes from: the formula in symbols, the same with its numbers, and
// its value. Tooltips and the command `model` show them; tests compare the value with what was
// counted.
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

/// The same for a caller that has the traffic of this plan and problem already: counting it, which
/// is a walk over all lanes, takes most of the time.
Analysis analyse(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                 const DeviceRow& device, const Traffic& counted,
                 const CompiledFacts& compiled = {},
                 std::optional<double> dram_read = std::nullopt);

/// With Count::elements values are elements and intensities FLOP per element: the factor "bytes of
/// an element" is left out of every formula.
std::vector<Formula> traffic_formulas(const Analysis& a, Count count = Count::bytes);
std::vector<Formula> launch_formulas(const Analysis& a);  // shared bytes, occupancy, waves, time
std::vector<Formula> all_formulas(const Analysis& a);

}  // namespace tilescope::model
