// The roofline: the speed that each level of memory and the arithmetic allow, and where the kernel
// stands by measurement (solid) and by the model (hollow).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "viz/scene/scene.h"
#include "viz/scene/standing.h"

namespace tilescope::viz {

struct RooflineLevel {
  enum class Kind { dram, l2, l1, shared } kind = Kind::dram;
  std::string name;       // "DRAM", "L2", "shared"
  double per_second = 0;  // bytes or elements; 0: not known, no roof
  double measured = 0;    // what a copy reaches, in the same unit; 0: not measured
  double intensity = 0;   // FLOP per byte or element of this kernel at this level; 0: not known
  bool operator==(const RooflineLevel&) const = default;
};

/// Where the kernel stood before, at the L2.
struct RooflineStep {
  double intensity = 0, flops = 0;
  Standing standing = Standing::none;
  bool operator==(const RooflineStep&) const = default;
};

struct RooflineState {
  double peak_flops = 0;     // FLOP per second
  std::string peak_name;     // "tensor cores"
  double measured_peak = 0;  // FLOP per second, that arithmetic alone reaches; 0: not measured
  std::string measured_peak_name;  // "mma.sync"
  std::vector<RooflineStep> way;   // oldest first
  std::vector<RooflineLevel> levels;
  std::string unit = "B";          // that intensities are counted in: "B", "element"
  std::optional<double> achieved;  // FLOP per second, measured now or recorded: solid
  std::string achieved_name;       // "measured", "recorded 2026-11-20"
  std::optional<double> modelled;  // hollow
  bool operator==(const RooflineState&) const = default;
};

Scene build_roofline(const RooflineState& state, const Palette& palette, const TextMeasure& measure,
                     Size size);

}  // namespace tilescope::viz
