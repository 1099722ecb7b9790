// The shell's own commands: layouts, panels, theme, palette, quit.
#pragma once
#include "app/shell/shell_state.h"

namespace tilescope {

/// `shell` must outlive the commands.
std::vector<Command> shell_commands(ShellState& shell);

/// Of the layout that is chosen.
bool is_shown(const Panel& panel);
void hide(const Panel& panel);
/// Shows it, in front of the tabs that it shares a place with. Null: nothing.
void bring_to_front(const Panel* panel);

}  // namespace tilescope
