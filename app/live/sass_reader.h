// Has the present kernel's machine code made readable while somebody looks at it.
#pragma once
#include <nlohmann/json.hpp>

#include "app/live/calls.h"
#include "app/state/app_state.h"

namespace tilescope {

class SassReader {
 public:
  /// The client must outlive it; null if nothing will be asked.
  explicit SassReader(worker::Client* client) : calls_(client) {}
  /// After the client was polled. `params`: the present edit as the worker takes it; `compiled`:
  /// its PTX is there, so that its machine code can be.
  void update(AppState& state, const nlohmann::json& params, bool compiled);
  /// The code is another one, or is to be compiled again.
  void drop(AppState& state);
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }

 private:
  Calls calls_;
  AppState* state_ = nullptr;
};

}  // namespace tilescope
