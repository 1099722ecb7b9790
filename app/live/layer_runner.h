// Has the chosen layer run by the worker when a person asks for it, as the model has planned it.
#pragma once
#include <nlohmann/json.hpp>

#include "app/live/calls.h"
#include "app/state/layer_facts.h"

namespace tilescope {

class LayerRunner {
 public:
  /// The client must outlive it; null if nothing will be asked.
  explicit LayerRunner(worker::Client* client) : calls_(client) {}
  /// After the client was polled.
  void update(AppState& state);
  /// The worker was restarted: nothing comes any more.
  void drop(AppState& state);
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }
  /// Once, when a card has been lost: the list of devices is old.
  bool take_lost() { return std::exchange(lost_, false); }

 private:
  void ask(AppState& state, const LayerModel& model);
  void failed(const worker::RpcError& error);
  Calls calls_;
  AppState* state_ = nullptr;
  bool lost_ = false;
};

}  // namespace tilescope
