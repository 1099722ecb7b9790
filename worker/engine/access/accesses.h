// Which lanes of a CTA, or of a small grid, touch which bytes of global and shared memory.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "kernels/registry.h"
#include "worker/messages/calls_run.h"

namespace tilescope::worker {

struct AccessOptions {
  BlockIndex cta = {};
  bool whole_grid = false;                                 // in place of `cta`
  uint64_t max_lane_instructions = kMostLaneInstructions;  // 0 = no limit
  const std::atomic<bool>* cancelled = nullptr;
  uint32_t most = kMostAccesses;  // records of the answer
};

/// Of any PTX. Fails like prepare_launch(), with 2 for a CTA outside of the grid, or as cancelled.
/// A fault of the kernel is no failure: the answer has what was touched until then, and says so.
AccessAnswer accesses_of_launch(const LaunchRequest& request, const AccessOptions& options);
/// Of a kernel of the ladder, whose operands' shapes are the problem's. Fails like prepare_gemm().
AccessAnswer accesses_of_kernel(const KernelRequest& request, const KernelEntry& kernel,
                                const std::string& ptx, const AccessOptions& options);

}  // namespace tilescope::worker
