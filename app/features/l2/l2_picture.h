// The simulated L2 in the words of viz.
#pragma once
#include "app/state/app_state.h"
#include "viz/scene/l2_scene.h"

namespace tilescope {

/// Tiles and hit rates of a simulation, as the picture takes them.
std::shared_ptr<const std::vector<viz::L2TileState>> l2_tiles(const model::L2Traffic& traffic);

/// `tiles`: of `traffic` (kept by the caller, since a picture compares it by its pointer).
viz::L2State l2_picture(const AppState& state, const model::L2Traffic& traffic,
                        const model::L2Machine& machine,
                        std::shared_ptr<const std::vector<viz::L2TileState>> tiles, float moment);

}  // namespace tilescope
