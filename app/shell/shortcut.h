// "Ctrl+Shift+P" and the like.
#pragma once
#include <imgui.h>

#include <string>

#include "app/window_command.h"

namespace tilescope {

/// ImGuiKey_None when the text names no key.
ImGuiKeyChord parse_shortcut(const std::string& text);

/// Asks for each command whose keys were pressed. Keys that a text field wants stay with it.
void handle_shortcuts(CommandTable& commands);

}  // namespace tilescope
