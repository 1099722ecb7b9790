// Exports a kernel: one .cu file that nvcc builds without this project.
#pragma once
#include <string>

#include "worker/engine/compile/source.h"

namespace tilescope::worker {

/// The kernel at a request's tile for its problem, with all that it includes, and a program that
/// launches, verifies and times it. `kernel_dir` as in included_headers(). Fails with a sentence if
/// a file cannot be read.
std::string exported_source(const KernelRequest& request, const KernelEntry& kernel,
                            const std::string& kernel_dir);

}  // namespace tilescope::worker
