// What the methods of all children need: reading their params, turning exceptions into errors, and
// getting the code of a kernel.
#pragma once
#include <memory>
#include <string>

#include "worker/engine/compile/compiled_code.h"
#include "worker/engine/compile/compiler.h"
#include "worker/service.h"

namespace tilescope::worker {

/// The same method with the exceptions that are no RpcError turned into one sentence.
Method guarded(Method method);

/// kernel, tile, problem.
KernelRequest request_of(const nlohmann::json& params);
/// The DeviceLimits in params, or those of architecture `arch` if there are none.
DeviceLimits limits_of(const nlohmann::json& params, const std::string& arch);
/// "kernel_dir", else the environment's TILESCOPE_KERNEL_DIR, else empty: the embedded kernels.
std::string kernel_dir_of(const nlohmann::json& params);

/// What is to run: "ptx" and "cubin" of the params, or compiled here and now.
Code code_of(const nlohmann::json& params, const KernelRequest& request, const std::string& arch,
             const std::atomic<bool>* cancelled);

}  // namespace tilescope::worker
