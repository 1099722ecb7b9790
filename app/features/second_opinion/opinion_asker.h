// Asks nvMatmulHeuristics of the present tile while somebody looks, once the sliders rest.
#pragma once
#include "app/live/call_group.h"

namespace tilescope {

class OpinionAsker : public Asker {
 public:
  explicit OpinionAsker(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;

 private:
  Calls calls_;
  uint64_t serial_ = 0;
  double changed_at_ = 0;
  bool pending_ = false;  // wanted, and not answered yet
};

}  // namespace tilescope
