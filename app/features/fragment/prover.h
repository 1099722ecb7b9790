// Asks the worker for proofs of lane maps: the recorded ones once, and one when the panel wants it.
#pragma once
#include "app/live/call_group.h"

namespace tilescope {

class Prover : public Asker {
 public:
  explicit Prover(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }

 private:
  void ask_recorded();
  void ask(AppState& state);

  Calls calls_;
  bool asked_recorded_ = false;
};

}  // namespace tilescope
