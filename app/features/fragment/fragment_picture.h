// The Fragment panel's picture.
#pragma once
#include "app/state/app_state.h"
#include "viz/scene/fragment/fragment_scene.h"

namespace tilescope {

viz::FragmentState fragment_picture(const AppState& state);

}  // namespace tilescope
