// Everything by keyboard: Tab, Alt, F6 and Ctrl+Tab begin it, a click or Escape ends it. While it
// is on, what has the focus is framed and has arrows, Space and Enter to itself; else they are
// shortcuts (play, step), as they have always been.
#pragma once
#include <imgui.h>

#include <vector>

#include "app/window_command.h"

namespace tilescope {

/// Before ImGui's new frame, with what was pressed since the last: it must know then whose keys
/// they are.
void follow_keyboard();
/// Inside of the new frame, before anything is drawn.
void keyboard_in_frame();
/// Once, after Alt was pressed alone: the first menu opens, and arrows lead to all others. (ImGui's
/// own Alt leads to the tabs of the focused panel.)
bool take_menu_request();
bool keyboard_mode();
void set_keyboard_mode(bool on);

/// While something is framed: keys that are its own, and no command's.
bool is_for_focus(ImGuiKeyChord chord);

/// To the next panel that is shown, and back.
std::vector<Command> keyboard_commands();

}  // namespace tilescope
