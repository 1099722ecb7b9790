// The call of the child that counts; it never touches CUDA, what it starts does.
#include "worker/engine/counters/count_launch.h"
#include "worker/engine/methods.h"

namespace tilescope::worker {
namespace {

CountersResult counters(const calls::Counters::Request& asked, const Running& running) {
  const KernelRequest& request = asked.of.request;
  if (running.device.empty()) throw std::invalid_argument("The card to count on is not named.");
  if (!find_kernel(request.kernel.c_str())) {
    throw std::invalid_argument("There is no kernel " + request.kernel + ".");
  }
  CountOptions options;
  options.device = running.device;
  options.kernel_dir = running.kernel_dir;
  options.time_limit = asked.time_limit;
  options.seconds = asked.seconds;
  options.cancelled = running.cancelled;
  options.progress = [&running](const std::string& doing) { running.tell({.stage = doing}); };
  return count_launch(request, options);
}

}  // namespace

MethodTable counters_methods() {
  MethodTable table;
  serve<calls::Counters>(table, counters);
  return table;
}

}  // namespace tilescope::worker
