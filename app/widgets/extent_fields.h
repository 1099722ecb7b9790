// M, N and K of the problem, to type into.
#pragma once
#include "app/panel.h"
#include "app/state/app_state.h"

namespace tilescope::widgets {

void extent_fields(AppContext& context, AppState& state);

}  // namespace tilescope::widgets
