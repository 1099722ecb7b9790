// Writes the present kernel to a file, one .cu that nvcc builds, as the worker makes it.
#pragma once
#include <nlohmann/json.hpp>

#include "app/state/app_state.h"
#include "worker/client/client.h"

namespace tilescope {

class Exporter {
 public:
  /// When a file is wanted, after the client was polled. `params`: the present edit as the worker
  /// takes it; what it says of an illegal one is the error.
  void update(AppState& state, worker::Client& client, const nlohmann::json& params);
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }

 private:
  AppState* state_ = nullptr;
};

}  // namespace tilescope
