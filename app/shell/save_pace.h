// When what has changed goes to files: every few seconds while frames are drawn, and once more
// after the last of them, for which a window that rests is woken. Never with each rest: a window
// comes to rest many times a second while a pointer moves over it.
#pragma once
#include <limits>

namespace tilescope {

class SavePace {
 public:
  /// Once per frame. True: it is time to write what has changed. `rests`: nothing goes on.
  bool is_time(double now, bool rests) {
    if (!rests) owes_ = true;
    if (now - saved_at_ < kBetween) return false;
    saved_at_ = now;
    if (rests) owes_ = false;
    return true;
  }
  /// Something went on since it was written at rest.
  bool owes() const { return owes_; }
  /// Seconds until the frame that is to come for it, whatever else is or is not to be drawn.
  double due_in(double now) const {
    if (!owes_) return std::numeric_limits<double>::infinity();
    const double left = saved_at_ + kBetween - now;
    return left > 0 ? left : 0;
  }

 private:
  static constexpr double kBetween = 3;  // seconds
  double saved_at_ = -std::numeric_limits<double>::infinity();
  bool owes_ = false;
};

}  // namespace tilescope
