#include "worker/engine/methods.h"

#include <new>
#include <stdexcept>

#include "worker/engine/base64.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/error.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {

using nlohmann::json;

Method guarded(Method method) {
  return [method = std::move(method)](const json& params, CallContext& context) -> json {
    try {
      return method(params, context);
    } catch (const RpcError&) {
      throw;
    } catch (const json::exception& error) {
      fail(kUsage, std::string("The call's parameters are not understood: ") + error.what());
    } catch (const std::invalid_argument& error) {
      fail(kUsage, error.what());
    } catch (const std::bad_alloc&) {
      fail(kMissing, "Not enough memory on this machine; choose a smaller problem.");
    } catch (const std::exception& error) {
      fail(kFailed, std::string("The worker failed: ") + error.what());
    }
  };
}

KernelRequest request_of(const json& params) { return params.get<KernelRequest>(); }

DeviceLimits limits_of(const json& params, const std::string& arch) {
  const auto limits = params.find("limits");
  return limits == params.end() ? limits_for_arch(arch) : limits->get<DeviceLimits>();
}

std::string kernel_dir_of(const json& params) {
  const std::string dir = params.value("kernel_dir", std::string());
  return dir.empty() ? environment("TILESCOPE_KERNEL_DIR") : dir;
}

Code code_of(const json& params, const KernelRequest& request, const std::string& arch,
             const std::atomic<bool>* cancelled) {
  Code code;
  if (params.contains("ptx") || params.contains("cubin")) {
    code.ptx = params.value("ptx", std::string());
    if (const auto cubin = params.find("cubin"); cubin != params.end()) {
      auto bytes = from_base64(cubin->get<std::string>());
      if (!bytes) fail(kUsage, "\"cubin\" is no base64.");
      code.cubin = std::move(*bytes);
    }
    if (const auto compiled = params.find("compiled"); compiled != params.end()) {
      json whole = *compiled;
      whole["ptx"] = "";
      code.compiled = whole.get<CompileResult>();
    }
    return code;
  }
  const auto compiled = Compiler::shared().compile(request, arch, kernel_dir_of(params), cancelled);
  code.ptx = compiled->result.ptx;
  code.cubin = compiled->cubin;
  code.compiled = compiled->result;
  code.compiled.ptx.clear();
  return code;
}

}  // namespace tilescope::worker
