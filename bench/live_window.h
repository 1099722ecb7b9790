// The window's state and what asks the worker for it, without a window: for measuring programs,
// whose folder must hold tilescope-cli as the window's does.
#pragma once
#include <chrono>
#include <functional>
#include <thread>

#include "app/live/live.h"
#include "app/state/edit.h"

namespace tilescope {

struct LiveWindow {
  AppState state = initial_state();
  Live live{worker::Client::start_process({}), ""};

  void frame() {
    state.now += 0.016;
    live.update(state);
  }
  /// Frames until it holds, as fast as the worker answers; false after a minute. `before` each:
  /// what a panel would ask for.
  bool until(const std::function<bool()>& holds, const std::function<void()>& before = {}) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    while (true) {
      if (before) before();
      frame();
      if (holds()) return true;
      if (Clock::now() - begin > std::chrono::minutes(1)) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
};

}  // namespace tilescope
