// One edit, and a point of the history, as a session file has them.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// Kernel, tile, size, layout, types, alpha, beta, bias.
nlohmann::json edit_json(const Edit& edit);
/// False: `error` says what is wrong.
bool edit_from_json(const nlohmann::json& json, Edit& out, std::string* error);

nlohmann::json point_json(const HistoryPoint& point);
/// False: it is none.
bool point_from(const nlohmann::json& json, HistoryPoint& point);

}  // namespace tilescope
