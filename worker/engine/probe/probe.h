// Makes the proof of an instruction's lane map: runs inputs whose values name their elements
// through the real instruction and compares the whole map with core/layout. Why that proves it:
// docs/proofs.md.
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "core/instructions/instructions.h"
#include "worker/engine/probe/probe_machine.h"
#include "worker/messages/messages_proof.h"

namespace tilescope::worker {

/// The instruction's own maps are what is compared, so a test may hand in wrong ones. A wrong map
/// is a result, as are an instruction that the machine lacks and a probe that fails; what makes the
/// machine useless from now on (RpcError with data["fatal"]) is thrown.
Proof prove(const model::Instruction& instruction, ProbeMachine& machine);

struct ProveOptions {
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(size_t done, size_t all)> progress;  // from one thread at a time
};
/// Several, side by side; in the order of `instructions`.
std::vector<Proof> prove(std::span<const model::Instruction* const> instructions,
                         ProbeMachine& machine, const ProveOptions& options = {});

/// What the parts of a proof add up.
struct FactCheck {
  uint64_t compared = 0, wrong = 0;
  std::string first_wrong;

  /// `sentence` is made for the first wrong fact alone.
  template <class Sentence>
  void fact(bool right, const Sentence& sentence) {
    ++compared;
    if (right) return;
    if (wrong++ == 0) first_wrong = sentence();
  }
};
void prove_product(const model::Instruction& instruction, ProbeMachine& machine,
                   FactCheck& comparison);
void prove_wmma_moves(const model::Instruction& instruction, ProbeMachine& machine,
                      FactCheck& comparison);
void prove_move(const model::Instruction& instruction, ProbeMachine& machine,
                FactCheck& comparison);

/// The target of an instruction's probe, and its entries, of which all have to compile.
struct ProbeText {
  std::string header;
  std::vector<std::string> entries;
};
ProbeText probe_text(const model::Instruction& instruction, const std::string& name);

}  // namespace tilescope::worker
