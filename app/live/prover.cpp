#include "app/live/prover.h"

#include <utility>

#include "app/state/device.h"
#include "app/state/proofs.h"

namespace tilescope {

using nlohmann::json;
using worker::RpcError;

void Prover::update(AppState& state, worker::Client& client) {
  state_ = &state;
  if (!asked_recorded_) ask_recorded(client);
  if (!state.proofs.wanted.empty() && state.proofs.running.empty()) ask(state, client);
}

void Prover::ask_recorded(worker::Client& client) {
  asked_recorded_ = true;
  client.request("emulator", "proofs", json::object(),
                 {.done =
                      [this](const json& result) {
                        if (!state_ || !result.contains("proofs")) return;
                        for (const json& proof : result["proofs"])
                          keep_proof(state_->proofs, proof.get<worker::Proof>());
                      },
                  .failed = [](const RpcError&) {},  // without recordings nothing is missing
                  .progress = {},
                  .binary = {}});
}

void Prover::ask(AppState& state, worker::Client& client) {
  Proofs& p = state.proofs;
  p.running = std::exchange(p.wanted, {});
  p.error_atom.clear();
  client.request(is_card(state.device) ? state.device : kEmulator, "probeFragment",
                 {{"atom", p.running}},
                 {.done =
                      [this](const json& result) {
                        Proofs& proofs = state_->proofs;
                        const std::string atom = std::exchange(proofs.running, {});
                        const auto proof = result.get<worker::Proof>();
                        // A device that cannot run it takes nothing from what another has shown.
                        proofs.error = proof.unsupported.empty() ? proof.failed : proof.unsupported;
                        if (!proofs.error.empty()) {
                          proofs.error_atom = atom;
                        } else {
                          keep_proof(proofs, proof);
                        }
                      },
                  .failed =
                      [this](const RpcError& error) {
                        Proofs& proofs = state_->proofs;
                        proofs.error_atom = std::exchange(proofs.running, {});
                        proofs.error = error.message;
                      },
                  .progress = {},
                  .binary = {}});
}

}  // namespace tilescope
