// What a child of the worker serves: a function for each call by its name, from JSON to JSON
// (service.h says what is what).
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilescope::worker {

struct CallContext;
using Method = std::function<nlohmann::json(const nlohmann::json& params, CallContext&)>;
using MethodTable = std::map<std::string, Method>;

}  // namespace tilescope::worker
