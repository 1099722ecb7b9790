// The menu bar and the status bar.
#pragma once
#include "app/shell/shell_state.h"

namespace tilescope {

/// Inside Hello ImGui's main menu bar: menus made from the commands, layouts, search, devices.
void draw_menu_bar(ShellState& shell);

/// Inside the toolbar at the bottom edge.
void draw_status_bar(ShellState& shell);

inline constexpr float kStatusBarHeight = 22;  // px at scale 1

}  // namespace tilescope
