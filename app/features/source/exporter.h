// Writes the present kernel to a file, one .cu that nvcc builds, as the worker makes it.
#pragma once
#include "app/live/call_group.h"

namespace tilescope {

class Exporter : public Asker {
 public:
  explicit Exporter(WorkerLink& link) : calls_(link) {}
  /// What the worker says of an illegal edit is the error.
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;

 private:
  Calls calls_;
};

}  // namespace tilescope
