// A simulation of the L2 that goes on beside the window: in a thread, or in a page's Web Worker.
#pragma once
#include <atomic>
#include <functional>
#include <memory>

#include "app/live/asker.h"
#include "app/state/expectation.h"

namespace tilescope {

class L2Run {
 public:
  explicit L2Run(const L2Question& question) : of(question) {}
  /// Waits until nobody works on it any more; cancel() first.
  virtual ~L2Run() = default;
  /// It is done soon, and its traffic is none.
  virtual void cancel() = 0;

  const L2Question of;
  model::L2Traffic traffic;  // once it is done
  std::atomic<bool> done{false};
  bool failed = false;  // nobody could; asked again it would be the same
};

/// Of the present tile, `question`: l2_question(state). `wake` is called, from any thread, when it
/// is done. It ends before `link` does.
std::unique_ptr<L2Run> begin_l2(const AppState& state, const L2Question& question, WorkerLink& link,
                                std::function<void()> wake);

}  // namespace tilescope
