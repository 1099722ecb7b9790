// Runs the checks (docs/emulator.md) on one CTA of each class. They find what a right result does
// not show, such as a race that goes well in the order in which the emulator runs warps.
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

/// How much of k must run so that everything the kernel's loop can do has happened. A CTA walks its
/// slices in one loop over a ring of stages, so slice s + stages does the same to its stage as
/// slice s: two rounds of the ring contain every pair of slices that can be in flight together, and
/// after them come the slices that drain the ring. All else that the code knows of k is kept: how
/// ragged the last slice is (so the PTX is the same), in which stage it lies, and the leading
/// dimensions, hence every alignment. Kernels without stages are unrolled by 8 at most.
int k_to_check(const KernelPlan& plan, const Problem& problem);
/// A k like that of k_to_check() with at least `slices` slices; the whole k if it has no more.
int k_with_slices(const KernelPlan& plan, const Problem& problem, int slices);

/// The request must be legal. What the checks find is returned, also a fault of the kernel; errors
/// come before remarks on speed.
CheckResult check_classes(const KernelRequest& request, const KernelEntry& kernel,
                          std::string_view ptx, const CheckOptions& options);

}  // namespace tilescope::worker
