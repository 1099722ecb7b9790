// Has a launch of the present edit counted on the card when a person asks for it, once nothing is
// timed any more; and the command line that does the same by hand.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "app/live/calls.h"
#include "app/state/app_state.h"

namespace tilescope {

class LaunchCounter {
 public:
  /// The client must outlive it; null if nothing will be asked.
  explicit LaunchCounter(worker::Client* client) : calls_(client) {}
  /// After the client was polled. `params`: the present edit as the worker takes it; `free`:
  /// nothing else of the edit is running.
  void update(AppState& state, const nlohmann::json& params, bool free);
  /// The edit or the device is another one: what was counted is not of it.
  void drop(AppState& state);
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }

 private:
  void ask(AppState& state, nlohmann::json params);
  Calls calls_;
  AppState* state_ = nullptr;
};

/// What a person pastes into a shell: ncu with our counters around one launch of the present
/// position.
std::string ncu_command(const AppState& state);

}  // namespace tilescope
