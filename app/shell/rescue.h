// What to do when the display goes away under the window.
#pragma once
#include <functional>

namespace tilescope {

/// When the X server dies, Xlib calls exit() in the middle of a frame. While a Rescue lives, the
/// session is saved then, and a sentence says so.
class Rescue {
 public:
  explicit Rescue(std::function<void()> save);
  ~Rescue();
  Rescue(const Rescue&) = delete;
  Rescue& operator=(const Rescue&) = delete;
};

}  // namespace tilescope
