// Has the chosen layer run by the worker when a person asks for it, as the model has planned it.
#pragma once
#include "app/features/layer/layer_facts.h"
#include "app/live/call_group.h"

namespace tilescope {

class LayerRunner : public Asker {
 public:
  explicit LayerRunner(WorkerLink& link) : link_(link), calls_(link), store_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }

 private:
  void ask(AppState& state, const LayerModel& model);
  void failed(AppState& state, const worker::CallError& error);
  void forget_run(AppState& state);
  /// Stores a run on cards for sessions to come.
  void keep(AppState& state, const LayerMeasured& measured);
  /// Once for each card that is chosen: what it measured in sessions before.
  void look_up(AppState& state);
  void take_kept(AppState& state, std::vector<worker::KeptLayer> layers);

  WorkerLink& link_;
  Calls calls_, store_;
  worker::LayerRequest asked_;
  std::string looked_up_;  // card
};

}  // namespace tilescope
