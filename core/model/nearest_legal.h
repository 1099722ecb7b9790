// The way back from an illegal tile, for the button "nearest legal: 7 stages".
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "core/layout/rules.h"

namespace tilescope::model {

using Validate = std::function<Violation(const TileConfig&, const Problem&, const DeviceLimits&)>;

struct NearestLegal {
  TileConfig tile;
  std::string label;  // what changes: "7 stages", "warp M 64, warp N 32"
};

/// The legal tile that differs in the fewest sliders, and then by the fewest notches; of equals the
/// one with lower values. Moving `field`, the slider that the violation names (it may be none),
/// does not count. Empty if the tile is legal already, or if no tile of this kernel is, since the
/// problem or the device is at fault.
std::optional<NearestLegal> nearest_legal(const Validate& validate, const Sliders& sliders,
                                          const TileConfig& tile, const Problem& problem,
                                          const DeviceLimits& device, TileFieldId field);

}  // namespace tilescope::model
