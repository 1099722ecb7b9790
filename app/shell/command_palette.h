// The command palette and the shortcut list: two popups made from the commands.
#pragma once
#include <string>
#include <vector>

#include "app/shell/shell_state.h"

namespace tilescope {

/// To be called once per frame, outside of any panel.
void draw_popups(ShellState& shell);

/// What the list of F1 holds: the keys of commands, then what the mouse does in each panel.
struct ShortcutRow {
  std::string keys, effect;
  bool heading = false;  // `keys` names a part of the list
};
std::vector<ShortcutRow> shortcut_rows(const CommandTable& commands);

}  // namespace tilescope
