// Shows that the present edit's work (compile, run, measurement) failed: the sentence and the ways
// out.
#pragma once
#include "app/panel.h"
#include "app/state/app_state.h"

namespace tilescope::widgets {

/// The error of the results, in the panel of this title: the one place where it stands.
void failure_box(AppContext& context, AppState& state, const char* title);

}  // namespace tilescope::widgets
