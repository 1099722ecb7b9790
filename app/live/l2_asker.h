// Simulates the L2 of the present tile beside the window, once the sliders rest, and again when the
// compiler has told how many CTAs an SM holds.
#pragma once
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "app/live/asker.h"
#include "app/state/expectation.h"

namespace tilescope {

class L2Asker : public Asker {
 public:
  ~L2Asker() override;
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool uses_worker() const override { return false; }
  void on_activity(std::function<void()> wake) override { wake_ = std::move(wake); }

 private:
  struct Run {
    L2Question of;
    model::L2Traffic traffic;
    std::atomic<bool> cancelled{false}, done{false};
    std::jthread thread;  // joined before the rest goes
  };
  void go_on(AppState& state);
  void begin(const L2Question& question);

  std::function<void()> wake_;
  std::unique_ptr<Run> run_;
  std::vector<std::unique_ptr<Run>> dropped_;  // until they have noticed
  uint64_t serial_ = 0;
  double changed_at_ = 0;
};

}  // namespace tilescope
