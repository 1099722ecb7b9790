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

/// Its grid, in CTAs; 1 × 1 × 1 where there is no launch.
BlockIndex own_grid(const AppState& state);
/// The chosen CTA of it: of the selection's tile the row is y, the column x.
BlockIndex chosen_block(const AppState& state);

}  // namespace tilescope
