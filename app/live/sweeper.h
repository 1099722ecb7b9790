// Measures the tiles of a sweep one after the other, whenever the present edit leaves the card
// free: a hand on a slider comes first.
#pragma once
#include <functional>
#include <string>
#include <utility>

#include "app/live/calls.h"
#include "app/state/app_state.h"

namespace tilescope {

class Sweeper {
 public:
  /// What a call about an edit is made of: request, architecture, limits.
  using Params = std::function<nlohmann::json(const Edit&)>;
  explicit Sweeper(worker::Client* client) : calls_(client) {}

  /// Once a frame, after the client was polled. `idle`: nothing of the present edit runs or is
  /// about to.
  void update(AppState& state, bool idle, const Params& params);
  /// Ends it with a sentence of why; what was measured stays.
  void stop(AppState& state, const std::string& sentence);
  /// True once after the card went away in the middle.
  bool take_lost() { return std::exchange(lost_, false); }
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }

 private:
  void begin(AppState& state);
  void measure_next(AppState& state, const Params& params);
  void take(const nlohmann::json& result, const Edit& edit);
  void fail(const worker::RpcError& error);
  SweepCell* running_cell(AppState& state) const;

  Calls calls_;  // one at a time
  AppState* state_ = nullptr;
  double begun_ = 0;  // the running cell
  bool lost_ = false;
};

}  // namespace tilescope
