// What is known of what a state looks at, as comparisons take it.
#pragma once
#include "app/common/difference_rows.h"
#include "app/state/app_state.h"

namespace tilescope {

/// Figures that are of what stands now; the model's with what the compiler has said.
LaunchFacts launch_facts(const AppState& state);

/// One for two states: none of the L2's simulation, which may be known of one alone.
model::Prediction comparable_prediction(const AppState& state, bool compiled);

}  // namespace tilescope
