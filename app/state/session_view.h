// What pictures are drawn with, as the session keeps it: one line an option. What a panel alone
// needs, it saves itself (Panel::save).
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "app/state/app_state.h"

namespace tilescope {

nlohmann::json view_json(const ViewOptions& view);
/// Bears any object: unknown and wrong fields are passed over, numbers put into their ranges.
void view_from(const nlohmann::json& in, ViewOptions& view);

}  // namespace tilescope
