// The menu Device: what is measured on, and whose limits and rates the emulator has.
#pragma once
#include "app/shell/shell_state.h"

namespace tilescope {

std::vector<Command> device_commands(ShellState& shell);

}  // namespace tilescope
