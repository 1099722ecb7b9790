// Asks nvMatmulHeuristics of the present tile while somebody looks, once the sliders rest.
#pragma once
#include "app/live/calls.h"
#include "app/state/app_state.h"

namespace tilescope {

class OpinionAsker {
 public:
  /// The client must outlive it; null if nothing will be asked.
  explicit OpinionAsker(worker::Client* client) : calls_(client) {}
  /// After the client was polled.
  void update(AppState& state);
  bool busy() const { return pending_; }
  /// What was said, an error too, is asked anew.
  void drop(AppState& state);
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }

 private:
  Calls calls_;
  AppState* state_ = nullptr;
  uint64_t serial_ = 0;
  double changed_at_ = 0;
  bool pending_ = false;  // wanted, and not answered yet
};

}  // namespace tilescope
