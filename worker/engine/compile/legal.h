// May this tile be launched? Asked before anything is compiled or run.
#pragma once
#include "kernels/registry.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// Returns the kernel; fails with the violation's sentence (exit code 2) if the tile is illegal.
/// Kernels divide by tile extents, so nothing else may touch a request before this has.
const KernelEntry& require_legal(const KernelRequest& request, const DeviceLimits& limits);

/// The limits to check against for an architecture ("sm_90") when no device is named.
DeviceLimits limits_for_arch(const std::string& arch);

}  // namespace tilescope::worker
