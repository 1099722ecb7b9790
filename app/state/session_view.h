// The options of pictures that several panels heed, as the session file has them: one line per
// option. What only one feature needs, it saves itself.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "app/state/app_state.h"

namespace tilescope {

nlohmann::json view_json(const ViewOptions& view);
/// Bears any object: unknown and wrong fields are passed over, numbers put into their ranges.
void view_from(const nlohmann::json& in, ViewOptions& view);

}  // namespace tilescope
