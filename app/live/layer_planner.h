// Models the chosen layer beside the window once the choice rests, and then the same layer over
// other numbers of ranks, while somebody looks.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "app/state/layer_facts.h"

namespace tilescope {

class LayerPlanner {
 public:
  ~LayerPlanner();
  /// Once a frame.
  void update(AppState& state);
  bool busy(const AppState& state) const;
  /// Called when update() has something to take in, from any thread.
  void on_activity(std::function<void()> wake) { wake_ = std::move(wake); }

 private:
  struct Run {
    LayerQuestion of;
    model::DeviceRow gpu;
    std::atomic<bool> cancelled{false}, done{false};
    std::mutex mutex;
    std::shared_ptr<const LayerModel> model;  // as far as it is known; under the mutex
    std::jthread thread;                      // joined before the rest goes
  };
  void begin(const LayerQuestion& question, const model::DeviceRow& gpu);
  static void work(Run& run, const std::function<void()>& wake);

  std::function<void()> wake_;
  std::unique_ptr<Run> run_;
  std::vector<std::unique_ptr<Run>> dropped_;  // until they have noticed
  LayerQuestion seen_;
  double changed_at_ = -1;  // seconds; below 0: nobody has changed anything yet
  bool pending_ = false;
};

}  // namespace tilescope
