// The roofline of Memory traffic.
#pragma once
#include "app/state/app_state.h"
#include "viz/scene/roofline_scene.h"

namespace tilescope {

/// What the chosen GPU allows, what the kernel was measured or recorded at, and what the model
/// says.
viz::RooflineState roofline_picture(const AppState& state);

}  // namespace tilescope
