// What the status bar says of the state: each item is of what stands now.
#pragma once
#include <vector>

#include "app/state/app_state.h"
#include "app/state/status_item.h"

namespace tilescope {

/// "legal" or "illegal". Green is what can stand: not beside work that failed, nor beside another
/// choice in view that cannot be (Feature::impossible).
StatusItem legality(const AppState& state);

/// Left to right. The worker's own notice comes after them.
std::vector<StatusItem> status_items(const AppState& state);

}  // namespace tilescope
