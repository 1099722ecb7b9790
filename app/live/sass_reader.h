// Has the present kernel's machine code made readable while somebody looks at it.
#pragma once
#include <memory>

#include "app/live/call_group.h"
#include "worker/messages/messages_launch.h"

namespace tilescope {

class SassReader : public Asker {
 public:
  explicit SassReader(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }

 private:
  Calls calls_;
  std::shared_ptr<const worker::LaunchRequest> own_;  // of a kernel of one's own that was read
};

}  // namespace tilescope
