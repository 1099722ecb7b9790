// Has the rest of C verified by the emulator, part by part, while nothing else runs.
#pragma once
#include <functional>

#include "app/live/calls.h"
#include "app/state/app_state.h"

namespace tilescope {

class Verifier {
 public:
  explicit Verifier(worker::Client* client) : calls_(client) {}

  /// Once a frame, after the client was polled. `free`: nothing else is to be run. A part under way
  /// is dropped as soon as something is, and comes again later. `params`: of the present edit.
  void update(AppState& state, bool free, const std::function<nlohmann::json()>& params);
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }
  void drop() { calls_.drop(); }
  bool busy() const { return !calls_.idle(); }
  /// The kernel itself failed in a part: the sentence, once.
  std::optional<worker::RpcError> take_failure() { return std::exchange(failure_, std::nullopt); }

 private:
  Calls calls_;
  AppState* state_ = nullptr;
  std::optional<worker::RpcError> failure_;
};

}  // namespace tilescope
