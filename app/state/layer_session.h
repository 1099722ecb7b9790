// The layer as the session keeps it.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "app/state/app_state.h"

namespace tilescope {

nlohmann::json layer_json(const AppState& state);
/// Bears any object: unknown and wrong fields are passed over. A layer that cannot be is taken as
/// it is, as a tile is: the window says why.
void layer_from(const nlohmann::json& in, AppState& state);

}  // namespace tilescope
