// Tiling where there is no plan: what was observed.
#pragma once
#include "app/panel.h"

namespace tilescope {

/// Which CTA, to be typed.
void draw_observed_header(AppContext& context);
void draw_observed_tiling(AppContext& context);

}  // namespace tilescope
