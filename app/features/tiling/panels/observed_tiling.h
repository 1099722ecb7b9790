// Tiling where there is no plan: what was observed.
#pragma once
#include "app/panel.h"

namespace tilescope {

void draw_observed_tiling(AppContext& context);

}  // namespace tilescope
