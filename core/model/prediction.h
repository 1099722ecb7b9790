// The time a launch should take, on a card whose L2 does not have its data yet: the SMs' cycles
// (sm_time.h) beside what L2 and DRAM allow, and what of it goes where. A model: always shown with
// a ~; how far it was from cards stands in docs/performance.md, "The time model".
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/model/device_table.h"
#include "core/model/occupancy.h"
#include "core/model/sm_time.h"
#include "core/model/traffic.h"

namespace tilescope::model {

/// How long one unit of the chip would take if it were the only limit: its work divided by its
/// rate, with the work spread evenly over all SMs.
struct LevelTime {
  const char* name;  // "tensor cores", "fp32 units", "instruction issue", "shared memory", …
  double us = 0;
};

/// The time is told as a sum of these parts.
enum class TimePart {
  work,     // of the SMs' busiest unit, had all SMs as much to do
  clash,    // units that wait for each other
  latency,  // waiting that other warps and stages do not hide
  idle,     // SMs without work, in the last wave most of all
  sums,     // prologue, C, parts of sums
  memory,   // what L2 or DRAM take longer than the SMs do
  launch,   // what an empty kernel takes
  pass,     // packing operands before the kernel
};
inline constexpr int kTimeParts = 8;
const char* name_of(TimePart part);

/// About what an empty kernel takes from launch to end: no launch is shorter.
inline constexpr double kLaunchUs = 2;

struct Prediction {
  double us = 0;
  double tflops = 0;
  // Four of five measured launches took between these (docs/performance.md, "The time model").
  double low_us = 0, high_us = 0;
  double pass_us = 0;        // of `us`, the pass that packs operands before the kernel
  const char* busiest = "";  // unit of the SMs: name of a level
  const char* bound = "";    // name of a level, "latency", "idle SMs" or "the launch"
  std::vector<LevelTime> levels;
  double parts[kTimeParts] = {};  // µs, by TimePart
  double units[kUnits] = {};      // µs, by Unit: of an SM's own work, spread evenly
  double dram_us = 0;
  std::string not_modelled;  // what of the plan has no part in all this (not_modelled.h)
  std::string not_measured;  // of what kind no card has timed a launch

  double part(TimePart p) const { return parts[static_cast<int>(p)]; }
  double unit(Unit u) const { return units[static_cast<int>(u)]; }
  /// Both sentences; empty if there is nothing to be said.
  std::string remark() const {
    return not_modelled + (not_modelled.empty() || not_measured.empty() ? "" : "; ") + not_measured;
  }
};

/// `dram_read`: bytes that the kernel reads from DRAM by the simulation of the L2, where it is
/// done; else each byte is taken to come once.
Prediction predict(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                   const Traffic& traffic, const DeviceRow& device,
                   const CompiledFacts& compiled = {},
                   std::optional<double> dram_read = std::nullopt,
                   const TimeConstants& constants = kTimeConstants);

/// FLOP per byte: of the device, where it turns from memory-bound to compute-bound (FLOP per second
/// over DRAM bandwidth); of the problem at best, with each matrix moved once; and of the kernel's
/// own traffic from the L2.
struct Ratios {
  double device = 0, problem = 0, kernel = 0;
  bool compute_bound = false;  // kernel ratio against the device's
};
Ratios ratios(const KernelPlan& plan, const Problem& problem, const Traffic& traffic,
              const DeviceRow& device);

}  // namespace tilescope::model
