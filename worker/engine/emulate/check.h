// The checks (docs/emulator.md) on one CTA of each class: what a right result cannot show, such as
// a race that the emulator's order of execution hides.
#pragma once
#include <atomic>
#include <string_view>

#include "kernels/registry.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

struct CheckOptions {
  bool whole_k = false;  // every slice of k, as long as that takes
  DataSpec data;
  int threads = 1;
  uint64_t max_lane_instructions = kMostLaneInstructions;  // 0 = no limit
  const std::atomic<bool>* cancelled = nullptr;
};

/// k that is enough to meet everything that the kernel's loop does. Each CTA walks its slices by
/// one loop over a ring of stages, so slice s does to stage s mod stages what slice s + stages
/// does: two rounds of the ring meet every pair of slices that can be in flight together, behind
/// them come the slices that drain it. What the code knows of k beside that is kept: whether and
/// how far the last slice is ragged (so the PTX is the same), in which stage it lies, and the
/// leading dimensions, hence every alignment. Kernels without stages are unrolled by 8 at most.
int k_to_check(const KernelPlan& plan, const Problem& problem);
/// The same with at least so many slices, which are at least those of k_to_check(); all of k if
/// there are no more.
int k_with_slices(const KernelPlan& plan, const Problem& problem, int slices);

/// The request must be legal. What the checks find is the result, a fault of the kernel, too;
/// findings of errors come before those of speed.
CheckResult check_classes(const KernelRequest& request, const KernelEntry& kernel,
                          std::string_view ptx, const CheckOptions& options);

}  // namespace tilescope::worker
