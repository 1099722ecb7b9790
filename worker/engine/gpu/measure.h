// Verify, then time: one kernel at one tile on one problem, next to the library.
#pragma once
#include "kernels/registry.h"
#include "worker/engine/compile/kernel_code.h"
#include "worker/engine/gpu/measurement.h"

namespace tilescope::worker {

/// A wrong result is not timed: `verified->ok` is then false and `tflops` empty.
MeasureResult measure(GpuSession& session, const KernelRequest& request, const KernelEntry& kernel,
                      const Code& code, const MeasureOptions& options);

}  // namespace tilescope::worker
