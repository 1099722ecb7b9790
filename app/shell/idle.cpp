#include "app/shell/idle.h"

#include <algorithm>
#include <ctime>

namespace tilescope {
namespace {

constexpr int kSettle = 3;           // frames
constexpr float kLongest = 15;       // seconds: the session is looked at now and then
constexpr float kBudgetMs = 4;       // of processor time a second
constexpr double kWokenEarly = 0.9;  // of the wait: an event came

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

void IdleGovernor::begin_frame(bool busy, double seconds) {
  // From frame to frame, not inside one: a software renderer's threads go on after the swap.
  const double now = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  if (drawn_ > 0) {
    const auto cost = static_cast<float>((cpu - cpu_) * 1000);
    frame_ms_ = frame_ms_ == 0 ? cost : frame_ms_ * 0.8f + cost * 0.2f;
  }
  const bool woken = now - drawn_ < static_cast<double>(wait_) * kWokenEarly;
  const bool waited = settling_ == 0;
  if (busy || (waited && woken)) {
    settling_ = kSettle;
  } else if (settling_ > 0) {
    --settling_;
  }
  drawn_ = now;
  cpu_ = cpu;
  const float least = std::max(frame_ms_ / kBudgetMs, 0.1f);
  wait_ = std::clamp(static_cast<float>(seconds), std::min(least, kLongest), kLongest);
}

}  // namespace tilescope
