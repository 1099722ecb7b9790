// Asks the worker for proofs of lane maps: the recorded ones once, and one when the panel wants it.
#pragma once
#include "app/state/app_state.h"
#include "worker/client/client.h"

namespace tilescope {

class Prover {
 public:
  /// Once a frame, after the client was polled; `state` must outlive the client's next poll.
  void update(AppState& state, worker::Client& client);
  bool busy(const AppState& state) const {
    return !state.proofs.running.empty() || !state.proofs.wanted.empty();
  }
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }

 private:
  void ask_recorded(worker::Client& client);
  void ask(AppState& state, worker::Client& client);

  bool asked_recorded_ = false;
  AppState* state_ = nullptr;
};

}  // namespace tilescope
