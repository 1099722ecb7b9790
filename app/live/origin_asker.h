// Asks the worker where a value came from, once the pointer rests on it.
#pragma once
#include <memory>

#include "app/live/call_group.h"

namespace tilescope {

class OriginAsker : public Asker {
 public:
  explicit OriginAsker(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }

 private:
  void ask(AppState& state);
  Calls calls_;
  std::shared_ptr<const worker::LaunchRequest> of_;  // that was asked about last
};

}  // namespace tilescope
