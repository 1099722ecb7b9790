// Launch sheets, signatures and launches that were found (core/sheet) as JSON between processes:
// member by member, and not judged.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "core/sheet/launch_sheet.h"
#include "core/sheet/signature.h"

namespace tilescope::sheet {

void to_json(nlohmann::json& j, const LaunchSheet& s);
void from_json(const nlohmann::json& j, LaunchSheet& s);
void to_json(nlohmann::json& j, const Signature& s);
void from_json(const nlohmann::json& j, Signature& s);
void to_json(nlohmann::json& j, const FoundLaunch& l);
void from_json(const nlohmann::json& j, FoundLaunch& l);

}  // namespace tilescope::sheet
