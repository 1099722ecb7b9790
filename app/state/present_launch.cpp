#include "app/state/present_launch.h"

#include <utility>

namespace tilescope {

void confirm_launch(AppState& state, worker::LaunchRequest launch) {
  state.own_launch = std::make_shared<const worker::LaunchRequest>(std::move(launch));
}

void forget_launch(AppState& state) { state.own_launch.reset(); }

}  // namespace tilescope
