// File ▸ Save film: the playback of the window or of one of its panels, and how far it is.
#pragma once
#include "app/shell/shell_state.h"

namespace tilescope {

/// Before a frame of the window is drawn.
void film_before_frame(ShellState& shell);
/// Once per frame, outside of any panel: the form while it is open, the progress while one is
/// taken.
void draw_film_form(ShellState& shell);
/// One is being taken: each frame is another.
bool film_is_taken();
/// Before the window goes: what has not ended is cancelled.
void cancel_film();

std::vector<Command> film_commands(ShellState& shell);

}  // namespace tilescope
