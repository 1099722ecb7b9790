// What became of each edit, and which points were pinned.
#pragma once
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// The best figure for the present edit: measured, else recorded, else modelled.
HistoryPoint point_of(const AppState& state);
/// Adds the present edit's result; the same edit's older point is replaced.
void remember_result(AppState& state);
void pin(AppState& state, const HistoryPoint& point, std::string name);
void unpin(AppState& state, size_t index);
const char* name_of(Standing standing);

}  // namespace tilescope
