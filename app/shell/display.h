// Can a window be opened here at all?
#pragma once
#include <string>

namespace tilescope {

/// Asks GLFW for a display and OpenGL 3.3, which Hello ImGui would only assert. False: `error` is
/// one sentence with the way out.
bool check_display(std::string* error);

}  // namespace tilescope
