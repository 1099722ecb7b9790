// One slider, or row of names, for each tile parameter that the kernel has.
#pragma once
#include "app/panel.h"
#include "app/state/app_state.h"

namespace tilescope::widgets {

void tile_sliders(AppContext& context, AppState& state);

}  // namespace tilescope::widgets
