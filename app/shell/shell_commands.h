// The shell's own commands: layouts, panels, theme, palette, quit.
#pragma once
#include "app/shell/shell_state.h"

namespace tilescope {

/// `shell` must outlive the commands.
std::vector<Command> shell_commands(ShellState& shell);

}  // namespace tilescope
