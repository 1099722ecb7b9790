// How full an SM is for each value of each tile parameter, all others as they are.
#pragma once
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "viz/scene/curve_scene.h"

namespace tilescope {

struct OccupancyCurve {
  TileFieldId field = TileFieldId::none;
  std::vector<int> values;         // a point each
  viz::CurveState picture;         // percent of the SM's warps
  std::vector<std::string> words;  // of each point: CTAs per SM and what limits them, or why it is
                                   // illegal
};
/// One for each slider of the present kernel. Registers are the compiler's for the present tile,
/// else the model's guess.
std::vector<OccupancyCurve> occupancy_curves(const AppState& state);

}  // namespace tilescope
