#include "app/state/present_launch.h"

#include <utility>

#include "app/state/edit.h"

namespace tilescope {

void confirm_launch(AppState& state, worker::LaunchRequest launch) {
  state.own_launch = std::make_shared<const worker::LaunchRequest>(std::move(launch));
  settle_selection(state);
}

void forget_launch(AppState& state) { state.own_launch.reset(); }

BlockIndex own_grid(const AppState& state) {
  const auto extent = [](const auto& e) {
    return BlockIndex{static_cast<int>(e.x), static_cast<int>(e.y), static_cast<int>(e.z)};
  };
  if (!state.own_launch) return {1, 1, 1};
  if (!state.own_launch->sheet) return extent(state.own_launch->grid);
  return extent(state.own_launch->sheet->grid.value_or(sheet::Extent{}));
}

BlockIndex chosen_block(const AppState& state) {
  return {state.selection.cta.col, state.selection.cta.row, state.selection.cta_z};
}

}  // namespace tilescope
