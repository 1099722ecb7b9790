// The Tiling panel's picture.
#pragma once
#include "app/state/app_state.h"
#include "viz/scene/tiling/tiling_scene.h"

namespace tilescope {

/// `level`: of the camera where one level is shown alone, 0 grid to 3 thread.
viz::TilingState tiling_picture(const AppState& state, float level);

}  // namespace tilescope
