// Files that are dropped on the window.
#pragma once

namespace tilescope {

struct ShellState;

/// Each is opened: a kernel of one's own, or a state. To be called when there is a window.
void open_what_is_dropped(ShellState& shell);

}  // namespace tilescope
