#include "worker/protocol/code_first.h"

#include <utility>

namespace tilescope::worker {

using nlohmann::json;

bool needs_code(const std::string& device, const json& params) {
  const bool runs = device == "emulator" || device.starts_with("cuda:");
  return runs && params.is_object() && params.contains("kernel") && params["kernel"].is_string() &&
         !params.contains("ptx") && !params.contains("cubin");
}

json compile_params(const json& params, const std::string& device, const json& limits) {
  json compile = json::object();
  for (const char* name :
       {"kernel", "tile", "problem", "kernel_dir", "arch", "limits", "priority"}) {
    if (params.contains(name)) compile[name] = params[name];
  }
  if (limits.is_object() && limits.contains("sm") && limits["sm"].is_number_integer()) {
    compile["arch"] = "sm_" + limits["sm"].dump();
    compile["limits"] = limits;
  }
  if (device != "emulator") compile["with_cubin"] = true;
  return compile;
}

void add_code(json& params, json compiled) {
  if (!compiled.is_object()) return;
  for (const char* name : {"ptx", "cubin"}) {
    const auto code = compiled.find(name);
    if (code == compiled.end()) continue;
    // A card that NVRTC does not list gets PTX alone, and no empty cubin.
    const bool empty =
        code->is_null() || (code->is_string() && code->get_ref<const std::string&>().empty());
    if (!empty) params[name] = std::move(*code);
    compiled.erase(code);
  }
  params["compiled"] = std::move(compiled);
}

}  // namespace tilescope::worker
