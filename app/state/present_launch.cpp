#include "app/state/present_launch.h"

#include <utility>

#include "app/state/edit.h"

namespace tilescope {

void confirm_launch(AppState& state, worker::LaunchRequest launch) {
  state.own_launch = std::make_shared<const worker::LaunchRequest>(std::move(launch));
  settle_selection(state);
}

void forget_launch(AppState& state) { state.own_launch.reset(); }

BlockIndex chosen_block(const AppState& state) {
  return {state.selection.cta.col, state.selection.cta.row, 0};
}

}  // namespace tilescope
