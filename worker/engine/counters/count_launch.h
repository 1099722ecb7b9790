// Counting one launch on a card: ncu as a child, and under it this program again, which launches
// the kernel and verifies it. Nothing here touches CUDA.
#pragma once
#include <atomic>
#include <functional>
#include <string>

#include "worker/engine/tools/usable_tool.h"
#include "worker/messages/counters.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

struct CountOptions {
  std::string device;      // "cuda:0"
  std::string kernel_dir;  // empty: the embedded kernels
  double time_limit = 10;  // seconds of one launch
  double seconds = 0;      // of all of it; 0: follows from `time_limit`
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(const std::string& doing)> progress;
};

NeededTool ncu_tool();

/// Fails with exit code 3 where ncu, a card or the permission is missing, with 4 where the kernel
/// is wrong or does not end; each time with the cause and the way out.
CountersResult count_launch(const KernelRequest& request, const CountOptions& options);

}  // namespace tilescope::worker
