// Asks the worker where a value came from, once the pointer rests on it.
#pragma once
#include "app/state/app_state.h"
#include "worker/client/client.h"

namespace tilescope {

class OriginAsker {
 public:
  /// Once a frame, after the client was polled; `state` must outlive the client's next poll.
  void update(AppState& state, worker::Client& client);
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }

 private:
  void ask(AppState& state, worker::Client& client);
  AppState* state_ = nullptr;
};

/// The question that a pick stands for: a register of the mma or thread that is shown, an element
/// of C at the end of its CTA, one of A or B in shared memory at the present moment; nothing if the
/// trace cannot tell.
std::optional<worker::OriginQuestion> question_of(const AppState& state, const viz::Pick& pick);

/// What a tooltip says to a pick: the answer, as far as there is one; asks for it otherwise. Empty
/// if there is nothing to be asked.
std::string origin_words(AppState& state, const viz::Pick& pick);

}  // namespace tilescope
