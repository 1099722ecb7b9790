// What the thing under the pointer moves, and through which level: a line of its tooltip.
#pragma once
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// "32 CTAs fetch it from the L2; each reads it 2 times from shared memory"; empty: it moves
/// nothing.
std::string traffic_words(const AppState& state, const viz::Pick& pick);

}  // namespace tilescope
