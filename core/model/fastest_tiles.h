// The tiles that the model calls fastest, where trying all of them would take too long.
#pragma once
#include <functional>
#include <vector>

#include "core/model/nearest_legal.h"

namespace tilescope::model {

/// Time of a legal tile by the model.
using Microseconds = std::function<double(const TileConfig&)>;

/// At most `count` legal tiles, the fastest first: of all that climbing comes by from the sliders'
/// defaults and from some places of the landscape, the same ones each time. Of tiles that differ
/// by the order of block tiles alone (raster) only the fastest is among them. None if the problem
/// or the device is at fault.
std::vector<TileConfig> fastest_tiles(const Validate& validate, const Sliders& sliders,
                                      const Problem& problem, const DeviceLimits& device, int count,
                                      const Microseconds& time);

}  // namespace tilescope::model
