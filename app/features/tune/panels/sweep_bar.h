// Starts a sweep, says how far it is, and stops it.
#pragma once
#include <vector>

#include "app/panel.h"
#include "app/state/app_state.h"

namespace tilescope::widgets {

/// In a header: of the axes given, while nothing is being swept.
void sweep_bar(AppContext& context, AppState& state, const std::vector<TileFieldId>& axes);

}  // namespace tilescope::widgets
