// The worker's calls about proofs, the same for the emulator and GPUs.
#pragma once
#include "worker/engine/methods.h"
#include "worker/engine/probe/probe_machine.h"

namespace tilescope::worker {

calls::ProbeFragment::Answer probe_fragment(const calls::ProbeFragment::Request& asked,
                                            const Running& running, ProbeMachine& machine);
calls::Proofs::Answer recorded_proofs();

}  // namespace tilescope::worker
