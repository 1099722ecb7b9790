// JSON forms of questions after a value's origin, and of the answers.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "worker/messages/messages.h"

namespace tilescope::worker {

void to_json(nlohmann::json& j, const TouchedBox& b);  // five numbers
void from_json(const nlohmann::json& j, TouchedBox& b);
void to_json(nlohmann::json& j, const OriginQuestion& q);
void from_json(const nlohmann::json& j, OriginQuestion& q);
void to_json(nlohmann::json& j, const OriginResult& r);
void from_json(const nlohmann::json& j, OriginResult& r);

}  // namespace tilescope::worker
