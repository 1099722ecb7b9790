// B's work (app/state/second.h), where the present edit's rests: the same steps, into B's state.
#pragma once
#include <functional>
#include <memory>
#include <utility>

#include "app/live/edit_runner.h"
#include "app/live/l2_asker.h"

namespace tilescope {

class SecondRunner : public Asker {
 public:
  explicit SecondRunner(WorkerLink& link) : link_(link), runner_(ours_, "second"), l2_(ours_) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }  // A's, which B does not depend on
  void on_activity(std::function<void()> wake) override { l2_.on_activity(std::move(wake)); }

 private:
  WorkerLink& link_;
  WorkerLink ours_;                 // whose state is B
  std::shared_ptr<AppState> held_;  // that answers may still come to
  EditRunner runner_;
  L2Asker l2_;
  uint64_t edit_serial_ = 0, device_serial_ = 0;  // that it was told of
};

}  // namespace tilescope
