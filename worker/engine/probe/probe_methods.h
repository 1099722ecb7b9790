// The worker's call about proofs, the same for the emulator and GPUs.
//   "probeFragment" "atom": PTX name                → Proof
//                   "atoms": [PTX names], or "all"  → {"proofs": [Proof]}, in that order; progress
//                                                     {"done", "all", "stage"}
#pragma once
#include "worker/engine/probe/probe_machine.h"
#include "worker/service.h"

namespace tilescope::worker {

nlohmann::json probe_fragment(const nlohmann::json& params, CallContext& context,
                              ProbeMachine& machine);

}  // namespace tilescope::worker
