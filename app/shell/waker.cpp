#include "app/shell/waker.h"

#include <GLFW/glfw3.h>

namespace tilescope {

void Waker::wake() {
  const std::lock_guard lock(guard_);
  if (open_) glfwPostEmptyEvent();
}

void Waker::close() {
  const std::lock_guard lock(guard_);
  open_ = false;
}

}  // namespace tilescope
