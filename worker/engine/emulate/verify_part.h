// A part of C verified by itself: what the window asks for, part after part, until all of it is.
#pragma once
#include <atomic>
#include <span>
#include <string_view>

#include "kernels/registry.h"
#include "worker/engine/emulate/emulated_launch.h"
#include "worker/engine/emulate/operands.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

struct VerifyPartOptions {
  DataSpec data;
  bool explain = true;  // what the checks find, and where a wrong index lies, if C is wrong
  int threads = 1;
  uint64_t max_lane_instructions = kMostLaneInstructions;  // 0 = no limit
  const std::atomic<bool>* cancelled = nullptr;
};

/// Runs groups of CTAs (core/model/verification_order.h) and compares what they store. The request
/// must be legal. Fails with exit code 2 for groups that the grid does not have, else as emulate().
VerifiedPart verify_part(const KernelRequest& request, const KernelEntry& kernel,
                         std::string_view ptx, std::span<const int> groups,
                         const VerifyPartOptions& options);

}  // namespace tilescope::worker
