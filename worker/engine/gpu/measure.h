// Verify, then time: one kernel at one tile on one problem, next to the library.
#pragma once
#include <atomic>
#include <functional>
#include <string>

#include "kernels/registry.h"
#include "worker/engine/compile/kernel_code.h"
#include "worker/engine/gpu/gpu_session.h"

namespace tilescope::worker {

struct MeasureOptions {
  int ordinal = 0;
  double seconds = 2;      // of taking samples
  double rest = 3;         // idle time between samples, as a multiple of the time that they took
  double time_limit = 10;  // seconds of one launch
  bool library = true;
  bool only_verify = false;
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(const MeasureResult&)> progress;
  std::function<void(std::string sentence)> remark;  // what is left out, and why
};

/// A wrong result is not timed: `verified->ok` is then false and `tflops` empty.
MeasureResult measure(GpuSession& session, const KernelRequest& request, const KernelEntry& kernel,
                      const Code& code, const MeasureOptions& options);

}  // namespace tilescope::worker
