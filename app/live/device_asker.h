// Asks the worker what there is to measure on: cards, and recordings of others.
#pragma once
#include "app/live/call_group.h"

namespace tilescope {

class DeviceAsker : public Asker {
 public:
  explicit DeviceAsker(WorkerLink& link) : link_(link), calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }

 private:
  WorkerLink& link_;
  Calls calls_;
};

}  // namespace tilescope
