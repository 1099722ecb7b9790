// Looks for a fast tile by measuring few of them: one notch of one slider after the other, kept
// where it is faster.
#pragma once
#include <functional>
#include <optional>

#include "core/model/nearest_legal.h"

namespace tilescope::model {

/// TFLOPS of a legal tile; nothing where it could not be measured.
using Speed = std::function<std::optional<double>(const TileConfig&)>;

/// Goes from `from` (legal) uphill until no neighbour is faster, or `most` tiles were asked for. A
/// notch that makes the tile illegal takes the fewest other sliders with it that it needs. The
/// fastest tile; `from` itself if none could be measured.
TileConfig climb(const Validate& validate, const Sliders& sliders, const TileConfig& from,
                 const Problem& problem, const DeviceLimits& device, int most, const Speed& speed);

}  // namespace tilescope::model
