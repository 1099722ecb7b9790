// The worker's calls about proofs, the same for the emulator and GPUs.
#pragma once
#include <functional>

#include "worker/engine/probe/probe.h"
#include "worker/messages/calls.h"

namespace tilescope::worker {

calls::ProbeFragment::Answer probe_fragment(const calls::ProbeFragment::Request& asked,
                                            ProbeMachine& machine,
                                            const ProveOptions& options = {});

}  // namespace tilescope::worker
