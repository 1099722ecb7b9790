// The calls of the child that counts; it never touches CUDA, what it starts does. Params:
// KernelRequest + "device", and
//   "counters"  "time_limit": 10 (of one launch), "seconds" (of all of it) → CountersResult;
//               {"stage"} as progress
#include "worker/engine/counters/count_launch.h"
#include "worker/engine/methods.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

json counters(const json& params, CallContext& context) {
  CountOptions options;
  options.device = params.at("device").get<std::string>();
  options.kernel_dir = kernel_dir_of(params);
  options.time_limit = params.value("time_limit", options.time_limit);
  options.seconds = params.value("seconds", options.seconds);
  options.cancelled = context.cancelled;
  if (context.progress) {
    options.progress = [&context](const std::string& doing) {
      context.progress({{"stage", doing}});
    };
  }
  const KernelRequest request = request_of(params);
  if (!find_kernel(request.kernel.c_str())) {
    throw std::invalid_argument("There is no kernel " + request.kernel + ".");
  }
  return count_launch(request, options);
}

}  // namespace

MethodTable counters_methods() { return {{"counters", guarded(counters)}}; }

}  // namespace tilescope::worker
