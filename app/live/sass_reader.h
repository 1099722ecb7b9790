// Has the present kernel's machine code made readable while somebody looks at it.
#pragma once
#include "app/live/call_group.h"

namespace tilescope {

class SassReader : public Asker {
 public:
  explicit SassReader(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;

 private:
  Calls calls_;
};

}  // namespace tilescope
