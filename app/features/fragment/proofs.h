// Which proof of an instruction's lane map counts, of those that are known.
#pragma once
#include <string>

#include "app/state/app_state.h"
#include "worker/messages/messages_proof.h"

namespace tilescope {

/// "Prove it": what is known of each instruction's map, and what is being asked.
struct Proofs {
  /// By PTX name, the strongest first: one of each device, of this session or else recorded.
  std::map<std::string, std::vector<worker::Proof>> known;
  std::string wanted;  // asked for by the panel, not yet begun
  std::string running;
  std::string error_atom, error;  // the last call that failed, in one sentence
};

/// Takes a proof down, in the place of an older one on the same device. The strongest stands first:
/// one that found a difference, then a card's before the emulator's, then the newest.
void keep_proof(Proofs& proofs, worker::Proof proof);
/// All of an instruction, the strongest first; empty if there is none.
const std::vector<worker::Proof>& proofs_of(const Proofs& proofs, const std::string& atom);

}  // namespace tilescope
