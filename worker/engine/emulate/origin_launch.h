// Where one value of a launch of any PTX came from, in the words of its buffers.
#pragma once
#include <atomic>

#include "worker/messages/calls_run.h"

namespace tilescope::worker {

/// The CTA's run is kept: further questions about the same moment of it are answered from there.
/// Fails like prepare_launch(), with 2 for what the launch or its PTX does not have, with 4 on a
/// fault of the kernel.
OriginResult origin_of_launch(const calls::Origin::Request& asked,
                              const std::atomic<bool>* cancelled);

}  // namespace tilescope::worker
