// Models the chosen layer beside the window once the choice rests, and then the same layer over
// other numbers of ranks, while somebody looks.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "app/features/layer/layer_facts.h"
#include "app/live/asker.h"
#include "app/live/beside.h"

namespace tilescope {

class LayerPlanner : public Asker {
 public:
  ~LayerPlanner() override;
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }
  bool uses_worker() const override { return false; }
  void on_activity(std::function<void()> wake) override { wake_ = std::move(wake); }

 private:
  struct Run {
    LayerQuestion of;
    model::DeviceRow gpu;
    std::atomic<bool> cancelled{false}, done{false};
    std::mutex mutex;
    std::shared_ptr<const LayerModel> model;  // as far as it is known; under the mutex
    LayerModel growing;                       // of who works on it
    bool planned = false;                     // the layer itself; then come the numbers of ranks
    std::optional<Beside> beside;             // ends before the rest
  };
  void go_on(AppState& state);
  void begin(const LayerQuestion& question, const model::DeviceRow& gpu);
  /// The layer itself, then a number of ranks each time. False: that was all.
  static bool work(Run& run, const std::function<void()>& wake);

  std::function<void()> wake_;
  std::unique_ptr<Run> run_;
  std::vector<std::unique_ptr<Run>> dropped_;  // until they have noticed
  LayerQuestion seen_;
  double changed_at_ = -1;  // seconds; below 0: nobody has changed anything yet
  bool pending_ = false;
};

}  // namespace tilescope
