// Who writes which elements of a buffer: by the addresses of all stores and atomics of a run.
#pragma once
#include <atomic>

#include "worker/messages/calls_run.h"

namespace tilescope::worker {

/// Fails like prepare_launch(), with 2 for an argument that is no buffer of a known type or a CTA
/// that is not there, with 4 on a fault of the kernel.
StoresResult stores_of(const calls::Stores::Request& asked, const std::atomic<bool>* cancelled);

}  // namespace tilescope::worker
