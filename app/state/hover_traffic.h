// What the thing under the pointer moves, and through which level: a line of its tooltip.
#pragma once
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// "32 CTAs fetch it from the L2; each reads it 2 times from shared memory"; empty: it moves
/// nothing.
std::string traffic_words(const AppState& state, const viz::Pick& pick);

/// What a tile read, and from where: "reads 4.19 MB, 91 % of it from the L2; 12 to 15 % of the
/// launch"; empty: not simulated.
std::string l2_tile_words(const AppState& state, Coord tile);

}  // namespace tilescope
