// The history of one problem on one device: a point an edit, pinned baselines as lines.
#pragma once
#include "app/panel.h"
#include "app/state/app_state.h"

namespace tilescope::widgets {

/// A click on a point goes back to it.
void history_plot(AppContext& context, AppState& state, ImVec2 whole);

}  // namespace tilescope::widgets
