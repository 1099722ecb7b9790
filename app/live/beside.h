// Work beside the window, in steps: in a thread of its own; on a page, which has none, a step
// between frames.
#pragma once
#include <functional>
#include <memory>

namespace tilescope {

class Beside {
 public:
  /// Calls `step` until it returns false.
  explicit Beside(std::function<bool()> step);
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  /// Waits for a step that runs; whether others follow it says itself.
  ~Beside();

 private:
  struct Going;
  std::shared_ptr<Going> going_;
};

}  // namespace tilescope
