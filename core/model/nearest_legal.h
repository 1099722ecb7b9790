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

/// Moves as few sliders as possible, the offending one (`field`, may be none) for nothing, and each
/// as few notches as possible; of equals the lower value wins. Empty if no tile of this kernel is
/// legal (the problem or the device is what is wrong) or the tile already is.
std::optional<NearestLegal> nearest_legal(const Validate& validate, const Sliders& sliders,
                                          const TileConfig& tile, const Problem& problem,
                                          const DeviceLimits& device, TileFieldId field);

}  // namespace tilescope::model
