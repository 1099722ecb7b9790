// Looks for a fast tile by measuring few of them: one notch of one slider after the other, kept
// where it is faster.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "core/model/nearest_legal.h"

namespace tilescope::model {

/// TFLOPS of a legal tile; nothing where it could not be measured.
using Speed = std::function<std::optional<double>(const TileConfig&)>;

/// A tile one notch of a slider up (1) or down (−1). Where that alone is illegal, it takes the
/// fewest other sliders with it that it needs; nothing if none would do, or at the end of the
/// slider.
struct Neighbour {
  TileConfig tile;
  std::string label;  // what changes: "4 stages", "block N 256, warp N 64"
};
std::optional<Neighbour> neighbour(const Validate& validate, const Sliders& sliders,
                                   const TileConfig& from, const Slider& slider, int direction,
                                   const Problem& problem, const DeviceLimits& device);

/// Goes from `from` (legal) uphill until no neighbour is faster, or `most` tiles were asked for. A
/// neighbour is what neighbour() says. The fastest tile; `from` itself if none could be measured.
TileConfig climb(const Validate& validate, const Sliders& sliders, const TileConfig& from,
                 const Problem& problem, const DeviceLimits& device, int most, const Speed& speed);

}  // namespace tilescope::model
