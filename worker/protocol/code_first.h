// A call that names a kernel of the ladder can only run once the kernel is compiled: makes the
// "compile" that must come first, and puts its result into the call.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace tilescope::worker {

/// True if the device runs code, and params name a kernel but carry none.
bool needs_code(const std::string& device, const nlohmann::json& params);
/// The params of that "compile". `limits`: DeviceLimits of the card that it is for; if null, those
/// in params or the default.
nlohmann::json compile_params(const nlohmann::json& params, const std::string& device,
                              const nlohmann::json& limits);
/// Moves "ptx" and "cubin" of the CompileResult into params; its rest becomes "compiled".
void add_code(nlohmann::json& params, nlohmann::json compiled);

}  // namespace tilescope::worker
