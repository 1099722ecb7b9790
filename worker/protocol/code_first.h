// A call that names a kernel of the ladder needs its code: what to compile, and where it goes.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace tilescope::worker {

/// params name a kernel, but carry no code.
bool needs_code(const nlohmann::json& params);
/// params of the "compile" before it. `limits`: DeviceLimits of the card that it is for, or null:
/// what params say, or the default.
nlohmann::json compile_params(const nlohmann::json& params, const std::string& device,
                              const nlohmann::json& limits);
/// Moves "ptx" and "cubin" of the CompileResult into params; its rest becomes "compiled".
void add_code(nlohmann::json& params, nlohmann::json compiled);

}  // namespace tilescope::worker
