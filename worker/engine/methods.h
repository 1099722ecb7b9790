// What the children's methods share: typed calls to and from JSON, errors, where the code comes
// from.
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kernels/registry.h"
#include "worker/engine/compile/kernel_code.h"
#include "worker/messages/calls_json.h"
#include "worker/service.h"

namespace tilescope::worker {

/// What a call that runs may use beside its request.
struct Running {
  const std::atomic<bool>* cancelled = nullptr;  // polled; true = stop soon
  std::string device;                            // as the client named it
  /// --kernel-dir, else the environment's TILESCOPE_KERNEL_DIR, else empty: the embedded kernels.
  std::string kernel_dir;
  std::function<void(const Progress&)> progress;  // may be empty

  void tell(const Progress& p) const {
    if (progress) progress(p);
  }
};
/// Progress of the form {"stage", "done", "all"}.
inline auto stage_teller(const Running& running, const char* stage) {
  return [&running, stage](size_t done, size_t all) { running.tell({stage, done, all}); };
}
Running running_of(const nlohmann::json& params, const CallContext& context);

/// A method with the exceptions that are no RpcError turned into one sentence.
Method guarded(Method method);

template <class C>
using Body = std::function<typename C::Answer(const typename C::Request&, const Running&)>;

/// Puts a call of the list (worker/messages/calls.h) into a child's table.
template <class C>
void serve(MethodTable& table, Body<C> body) {
  table[C::name] =
      guarded([body = std::move(body)](const nlohmann::json& params, CallContext& context) {
        const Running running = running_of(params, context);
        return write_answer<C>(body(read_request<C>(params), running), context.binary);
      });
}

/// The kernel at its position, for an architecture that is chosen; fails if there is no such kernel
/// or its tile is not legal there.
struct LegalKernel {
  const KernelRequest& request;
  std::string arch;
  const KernelEntry& entry;
};
LegalKernel legal_kernel(const calls::Kernel& kernel);
/// kDefaultArch if there is none.
std::string arch_or_default(const std::string& arch);
/// Those that are given, else those of the architecture.
DeviceLimits limits_or(const std::optional<DeviceLimits>& limits, const std::string& arch);

/// As it came with the call.
Code given_code(const calls::Code& given);
/// What is to run: as it came with the call, or compiled here and now.
Code code_of(const calls::Code& given, const KernelRequest& request, const std::string& arch,
             const Running& running);

}  // namespace tilescope::worker
