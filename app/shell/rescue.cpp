#include "app/shell/rescue.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tilescope {
namespace {

std::function<void()>& pending_save() {
  static std::function<void()> save;
  return save;
}

void at_exit() {
  if (!pending_save()) return;  // the window was closed in order
  std::exchange(pending_save(), {})();
  std::fputs(
      "tilescope: the display went away; the session is saved and opens again with the next "
      "start\n",
      stderr);
  // Drivers' own exit handlers would talk to the display that is gone.
  std::_Exit(3);
}

}  // namespace

Rescue::Rescue(std::function<void()> save) {
  // Constructed before at_exit is registered, hence alive when it runs.
  pending_save() = std::move(save);
  static const bool registered = std::atexit(at_exit) == 0;
  (void)registered;
}

Rescue::~Rescue() { pending_save() = nullptr; }

}  // namespace tilescope
