// The launch of the present subject, where that is a kernel of somebody's own: what features ask
// the worker with that need no plan.
#pragma once
#include <memory>

#include "app/state/app_state.h"
#include "worker/messages/messages_launch.h"

namespace tilescope {

/// Told by the one that opens kernels: the subject's sheet was confirmed, its file was read, and
/// nothing stands in the way of a run. `AppState::own_launch` has it until forget_launch().
void confirm_launch(AppState& state, worker::LaunchRequest launch);
/// With each change of the edit, and when the file is to be read again.
void forget_launch(AppState& state);

}  // namespace tilescope
