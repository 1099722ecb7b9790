#include "worker/engine/methods.h"

#include <new>
#include <stdexcept>

#include "core/files/base64.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/error.h"
#include "worker/engine/shared_library.h"

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

Running running_of(const json& params, const CallContext& context) {
  Running running;
  running.cancelled = context.cancelled;
  if (params.is_object()) {
    running.device = params.value("device", std::string());
    running.kernel_dir = params.value("kernel_dir", std::string());
  }
  if (running.kernel_dir.empty()) running.kernel_dir = environment("TILESCOPE_KERNEL_DIR");
  if (context.progress) {
    running.progress = [&context](const Progress& p) { context.progress(write_progress(p)); };
  }
  return running;
}

std::string arch_or_default(const std::string& arch) { return arch.empty() ? kDefaultArch : arch; }

DeviceLimits limits_or(const std::optional<DeviceLimits>& limits, const std::string& arch) {
  return limits ? *limits : limits_for_arch(arch);
}

LegalKernel legal_kernel(const calls::Kernel& kernel) {
  const std::string arch = arch_or_default(kernel.arch);
  const KernelEntry& entry = require_legal(kernel.request, limits_or(kernel.limits, arch));
  return {kernel.request, arch, entry};
}

Code given_code(const calls::Code& given) {
  Code code;
  code.ptx = given.ptx.value_or("");
  if (given.cubin) {
    auto bytes = files::from_base64(*given.cubin);
    if (!bytes) fail(kUsage, "\"cubin\" is no base64.");
    code.cubin = std::move(*bytes);
  }
  if (given.compiled) code.compiled = *given.compiled;
  return code;
}

Code code_of(const calls::Code& given, const KernelRequest& request, const std::string& arch,
             const Running& running) {
  if (given.ptx || given.cubin) return given_code(given);
  Code code;
  const auto compiled =
      Compiler::shared().compile(request, arch, running.kernel_dir, running.cancelled);
  code.ptx = compiled->result.ptx;
  code.cubin = compiled->cubin;
  code.compiled = compiled->result;
  code.compiled.ptx.clear();
  return code;
}

}  // namespace tilescope::worker
