// How often something that keeps ending may be started again.
#pragma once
#include <chrono>
#include <deque>

namespace tilescope::worker {

class RestartBudget {
 public:
  using Clock = std::chrono::steady_clock;
  explicit RestartBudget(int restarts = 3, std::chrono::seconds window = std::chrono::seconds(60))
      : restarts_(restarts), window_(window) {}

  /// Takes one restart, or says that none is left.
  bool take(Clock::time_point now = Clock::now()) {
    while (!taken_.empty() && now - taken_.front() > window_) taken_.pop_front();
    if (static_cast<int>(taken_.size()) >= restarts_) return false;
    taken_.push_back(now);
    return true;
  }
  /// After a restart by hand.
  void refill() { taken_.clear(); }
  int restarts() const { return restarts_; }
  std::chrono::seconds window() const { return window_; }

 private:
  int restarts_;
  std::chrono::seconds window_;
  std::deque<Clock::time_point> taken_;
};

}  // namespace tilescope::worker
