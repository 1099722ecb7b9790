// Proofs made on a named GPU on a named day: files proofs-*.json among the recordings, an object a
// line. Format: docs/proofs.md.
#pragma once
#include <map>
#include <string>

#include "worker/messages/messages_proof.h"

namespace tilescope::worker {

/// Atom → its best proof: one of a GPU before one of the emulator, then the newest; a proof that
/// found the map wrong counts as any other. Lines that cannot be read or compared nothing are left
/// out.
std::map<std::string, Proof> read_proofs(const std::string& folder);

}  // namespace tilescope::worker
