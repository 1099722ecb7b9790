// The roofline: what each level of memory and the arithmetic allow, and where the kernel stands.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "viz/scene/scene.h"

namespace tilescope::viz {

struct RooflineLevel {
  enum class Kind { dram, l2, l1, shared } kind = Kind::dram;
  std::string name;             // "DRAM", "L2", "shared"
  double bytes_per_second = 0;  // 0: not known, no roof
  double intensity = 0;         // FLOP per byte of this kernel at this level; 0: not known
};

struct RooflineState {
  enum class Standing { measured, recorded, modelled };
  double peak_flops = 0;  // a second
  std::vector<RooflineLevel> levels;
  std::optional<double> flops;  // achieved, a second
  Standing standing = Standing::modelled;
  std::optional<Pick> hover;
};

Scene build_roofline(const RooflineState& state, const Palette& palette, const TextMeasure& measure,
                     Size size);

}  // namespace tilescope::viz
