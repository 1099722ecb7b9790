// Where a layer's ranks run, the button that runs them, and what came of it.
#pragma once
#include "app/panel.h"
#include "app/state/app_state.h"

namespace tilescope::widgets {

void layer_run(AppContext& context, AppState& state);

}  // namespace tilescope::widgets
