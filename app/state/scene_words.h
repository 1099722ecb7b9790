// Turns the state into what scenes take, as far as several pictures need the same.
#pragma once
#include "app/state/app_state.h"
#include "app/state/playback.h"
#include "viz/scene/selection.h"
#include "viz/scene/standing.h"

namespace tilescope {

viz::Selection scene_selection(const AppState& state);
viz::Moment scene_moment(const AppState& state, const Moment& moment);
viz::Standing scene_standing(Standing standing);

/// True if the trace is of the present edit and the chosen CTA, not still of what was chosen
/// before.
bool trace_is_of_choice(const AppState& state);

}  // namespace tilescope
