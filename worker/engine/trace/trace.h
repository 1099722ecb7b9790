// What one CTA does, event by event, from the emulator's record of it.
#pragma once
#include <atomic>
#include <string_view>

#include "kernels/registry.h"
#include "worker/engine/emulate/emulated_launch.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

struct TraceRequest {
  BlockIndex cta = {};
  int item = 0;     // of the CTA's work items
  int k_step = -1;  // the slice to look at; −1 = the item's first
  bool raw = true;  // with the lane addresses behind each event
  uint64_t max_lane_instructions = kMostLaneInstructions;  // 0 = no limit
  const std::atomic<bool>* cancelled = nullptr;
};

/// The request must be legal. Fails with exit code 2 for a CTA, item or k step outside the
/// launch, 4 on a
/// fault of the kernel.
TraceResult trace(const KernelRequest& request, const KernelEntry& kernel, std::string_view ptx,
                  const TraceRequest& options);

}  // namespace tilescope::worker
