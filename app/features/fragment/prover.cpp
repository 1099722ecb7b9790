#include "app/features/fragment/prover.h"

#include <utility>

#include "app/features/fragment/proofs.h"
#include "app/state/device.h"

namespace tilescope {

namespace calls = worker::calls;
using worker::CallError;

void Prover::update(AppState& state, const Surroundings&) {
  if (!asked_recorded_) ask_recorded();
  if (!state.of<Proofs>().wanted.empty() && state.of<Proofs>().running.empty()) ask(state);
}

void Prover::without_worker(AppState& state, const std::string&) {
  state.of<Proofs>().wanted.clear();
}

Busy Prover::busy(const AppState& state) const {
  const Proofs& p = state.of<Proofs>();
  return p.running.empty() && p.wanted.empty() ? Busy::no : Busy::awaited;
}

void Prover::drop(AppState& state, Lost what) {
  if (what != Lost::worker) return;
  calls_.drop();
  state.of<Proofs>().running.clear();
}

void Prover::ask_recorded() {
  asked_recorded_ = true;
  // Without recordings nothing is missing.
  calls_.ask<calls::Proofs>({}, {.done = [](AppState& s, const calls::Proofs::Answer& answer) {
                              for (const auto& [atom, proof] : answer.proofs)
                                keep_proof(s.of<Proofs>(), proof);
                            }});
}

void Prover::ask(AppState& state) {
  Proofs& p = state.of<Proofs>();
  p.running = std::exchange(p.wanted, {});
  p.error_atom.clear();
  calls_.ask<calls::ProbeFragment>(
      is_card(state.device) ? state.device : kEmulator, {.atom = p.running},
      {.done =
           [](AppState& s, const calls::ProbeFragment::Answer& answer) {
             Proofs& proofs = s.of<Proofs>();
             const std::string atom = std::exchange(proofs.running, {});
             const worker::Proof& proof = answer.proofs.at(0);
             // A device that cannot run it takes nothing from what another has shown.
             proofs.error = proof.unsupported.empty() ? proof.failed : proof.unsupported;
             if (!proofs.error.empty()) {
               proofs.error_atom = atom;
             } else {
               keep_proof(proofs, proof);
             }
           },
       .failed =
           [](AppState& s, const CallError& error) {
             Proofs& proofs = s.of<Proofs>();
             proofs.error_atom = std::exchange(proofs.running, {});
             proofs.error = error.message;
           }});
}

}  // namespace tilescope
