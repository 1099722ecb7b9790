// Asks the worker for the places of a stepped run: one call at a time, with all that was asked for
// meanwhile, and no more of the state than the panels in view show.
#pragma once
#include "app/live/call_group.h"

namespace tilescope {

struct StepNeeds;
struct StepView;
struct StepWish;

class StepAsker : public Asker {
 public:
  explicit StepAsker(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }

 private:
  void begin_anew(AppState& state, StepView& view, const std::string& key);
  void ask(AppState& state, StepView& view, StepNeeds needs, StepWish wish);
  Calls calls_;
};

}  // namespace tilescope
