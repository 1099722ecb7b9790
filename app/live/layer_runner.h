// Has the chosen layer run by the worker when a person asks for it, as the model has planned it.
#pragma once
#include <nlohmann/json.hpp>

#include "app/live/calls.h"
#include "app/state/layer_facts.h"

namespace tilescope {

class LayerRunner {
 public:
  /// The client must outlive it; null if nothing will be asked.
  explicit LayerRunner(worker::Client* client) : calls_(client), store_(client) {}
  /// After the client was polled.
  void update(AppState& state);
  /// The worker was restarted: nothing comes any more.
  void drop(AppState& state);
  /// What was asked of the store may have been lost with the worker.
  void look_again() { looked_up_.clear(); }
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }
  /// Once, when a card has been lost: the list of devices is old.
  bool take_lost() { return std::exchange(lost_, false); }

 private:
  void ask(AppState& state, const LayerModel& model);
  void failed(const worker::RpcError& error);
  /// Stores a run on cards for sessions to come.
  void keep(const LayerMeasured& measured);
  /// Once for each card that is chosen: what it measured in sessions before.
  void look_up(AppState& state);
  void take_kept(const nlohmann::json& answer);

  Calls calls_, store_;
  worker::LayerRequest asked_;
  std::string looked_up_;  // card
  AppState* state_ = nullptr;
  bool lost_ = false;
};

}  // namespace tilescope
