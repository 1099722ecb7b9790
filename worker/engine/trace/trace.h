// What one CTA does, event by event, from the emulator's record of it.
#pragma once
#include <atomic>
#include <string_view>

#include "kernels/registry.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

struct TraceRequest {
  int cta_x = 0, cta_y = 0;  // blockIdx
  int k_step = 0;            // the slice to look at
  bool raw = true;           // with the lane addresses behind each event
  const std::atomic<bool>* cancelled = nullptr;
};

/// The request must be legal. Fails with exit code 2 for a CTA or k step outside the launch, 4 on a
/// fault of the kernel.
TraceResult trace(const KernelRequest& request, const KernelEntry& kernel, std::string_view ptx,
                  const TraceRequest& options);

}  // namespace tilescope::worker
