// Launches a kernel of somebody's own on the card that is measured on, once the emulator has run it
// without a fault: verified where it is a GEMM, then timed.
#pragma once
#include <memory>
#include <string>

#include "app/live/call_group.h"
#include "worker/messages/messages_launch.h"

namespace tilescope {

class OwnMeasurer : public Asker {
 public:
  explicit OwnMeasurer(WorkerLink& link) : link_(link), calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState&, const std::string&) override {}
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }

 private:
  bool due(const AppState& state) const;
  void measure(AppState& state, double time_limit);
  bool forget_samples(AppState& state);

  WorkerLink& link_;
  Calls calls_;
  std::shared_ptr<const worker::LaunchRequest> begun_;  // that is measured, was, or was stopped
};

}  // namespace tilescope
