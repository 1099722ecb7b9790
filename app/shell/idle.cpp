#include "app/shell/idle.h"

#include <algorithm>
#include <ctime>

namespace tilescope {
namespace {

double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

void IdleGovernor::begin_frame() {
  // From frame to frame, not inside one: a software renderer's threads go on after the swap.
  const double now = process_cpu_seconds();
  if (begin_ > 0) {
    const float cost = static_cast<float>((now - begin_) * 1000);
    frame_ms_ = frame_ms_ == 0 ? cost : frame_ms_ * 0.8f + cost * 0.2f;
  }
  begin_ = now;
}

float IdleGovernor::idle_rate() const {
  constexpr float kBudgetMs = 20;  // of CPU a second
  return std::clamp(kBudgetMs / std::max(frame_ms_, 0.1f), 0.5f, 9.f);
}

}  // namespace tilescope
