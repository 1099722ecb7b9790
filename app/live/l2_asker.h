// Simulates the L2 of the present tile beside the window, once the sliders rest, and again when the
// compiler has told how many CTAs an SM holds.
#pragma once
#include <memory>
#include <vector>

#include "app/live/l2_run.h"

namespace tilescope {

class L2Asker : public Asker {
 public:
  explicit L2Asker(WorkerLink& link) : link_(link) {}
  ~L2Asker() override;
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool uses_worker() const override { return false; }
  void on_activity(std::function<void()> wake) override { wake_ = std::move(wake); }

 private:
  void go_on(AppState& state);
  void put_by_run();

  WorkerLink& link_;
  std::function<void()> wake_;
  std::unique_ptr<L2Run> run_;
  std::vector<std::unique_ptr<L2Run>> dropped_;  // until they have noticed
  uint64_t serial_ = 0;
  double changed_at_ = 0;
};

}  // namespace tilescope
