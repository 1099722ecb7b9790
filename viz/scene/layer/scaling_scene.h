// Strong scaling: how much faster the same layer is over more ranks, forward and backward.
#pragma once
#include <string>
#include <vector>

#include "viz/scene/scene.h"

namespace tilescope::viz {

/// Microseconds of one account; 0: not known.
struct ScalingTimes {
  double forward_us = 0, backward_us = 0;
  bool operator==(const ScalingTimes&) const = default;
};

struct ScalingPoint {
  int ranks = 1;
  ScalingTimes modelled, measured;
  std::string why_not;  // the layer cannot be split so
  bool operator==(const ScalingPoint&) const = default;
};

struct ScalingState {
  std::vector<ScalingPoint> points;  // by ranks, those of 1 first
  int ranks = 1;                     // that are chosen
  std::string device;                // that measured points are of
  std::string stale;                 // of another layer, in words; drawn faded
  std::vector<std::string> notes;
  bool operator==(const ScalingState&) const = default;
};

/// Numbers of ranks are picked as Kind::point, in `value`.
Scene build_scaling(const ScalingState& state, const Palette& palette, const TextMeasure& measure,
                    Size size);

}  // namespace tilescope::viz
