// File ▸ Save picture: the window or one of its panels, as PNG, or as SVG or PDF where the panel is
// a scene.
#pragma once
#include <string>

#include "app/shell/shell_state.h"

namespace tilescope {

/// Once per frame, outside of any panel: the form, while it is open.
void draw_picture_form(ShellState& shell);

/// After ImGui has drawn: what the form has asked for of the screen's own pixels.
void save_wanted_pixels(ShellState& shell);

std::vector<Command> picture_commands(ShellState& shell);

}  // namespace tilescope
