// Where one value came from, in the words of the matrices: a register half, a shared byte or an
// element of C, followed by the emulator through the kernel's own PTX.
#pragma once
#include <atomic>
#include <nlohmann/json.hpp>
#include <string_view>

#include "kernels/registry.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// The request must be legal. The CTA's run is kept: further questions about the same moment of it
/// are answered from there. Fails with exit code 2 for what the launch or the PTX does not have, 3
/// for matrices that are too large to be followed, 4 on a fault of the kernel.
OriginResult origin_of(const KernelRequest& request, const KernelEntry& kernel,
                       std::string_view ptx, const OriginQuestion& question,
                       const std::atomic<bool>* cancelled);

/// All that one CTA stores, as `emulate --provenance` prints it: A, B and C are arguments 0, 1, 2.
nlohmann::json stored_origins(const KernelRequest& request, const KernelEntry& kernel,
                              std::string_view ptx, BlockIndex cta,
                              const std::atomic<bool>* cancelled);

/// Fails (exit code 3) if A and B are larger than provenance can follow.
void require_followed(const Problem& problem);

}  // namespace tilescope::worker
