#include "app/live/call_group.h"

#include <utility>

#include "app/state/device.h"

namespace tilescope {

void Calls::drop() {
  for (const uint64_t id : std::exchange(open_, {})) link_.client->cancel(id);
}

worker::KernelRequest request_of(const Edit& edit, int sms) {
  worker::KernelRequest request{edit.rung().kernel, edit.rung().tile, edit.problem, sms};
  // What tensor cores cut off of such products is what one looks for; f32 would lose nothing.
  if (element_bytes(edit.problem.type_a) == 1) request.sums_of = worker::kSumsWhereProven;
  return request;
}

worker::calls::Kernel kernel_of(const AppState& state, const Edit& edit) {
  worker::calls::Kernel kernel{request_of(edit, state.limits.sm_count)};
  if (const worker::DeviceInfo* card = card_of(state)) {
    kernel.arch = arch_of(state);
    kernel.limits = card->limits;
  }
  return kernel;
}

}  // namespace tilescope
