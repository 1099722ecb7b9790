// The fastest tiles of the present kernel, as a table: sorted by any column, copied as text,
// clicked to go back to one.
#pragma once
#include <string>
#include <vector>

#include "app/panel.h"
#include "app/state/app_state.h"

namespace tilescope::widgets {

/// Where a point's figure comes from: "recorded 2026-11-20".
std::string standing_text(const HistoryPoint& point);

enum class TileColumn : int { tile, tflops, of_library };
/// The kernel's points sorted by a column; points without a share of the library come last.
/// Modelled ones are no ranks among figures that were timed: left out unless asked for.
std::vector<const HistoryPoint*> sorted_tiles(const std::vector<const HistoryPoint*>& history,
                                              const std::string& kernel, TileColumn column,
                                              bool descending, bool modelled = false);
/// Lines of tab-separated text with a head, as spreadsheets take it.
std::string tiles_text(const std::vector<const HistoryPoint*>& tiles);

void best_tiles(AppContext& context, AppState& state, ImVec2 size);

}  // namespace tilescope::widgets
