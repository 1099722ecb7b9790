// The window's language: which one it begins with, the commands that choose another, and the names
// of panels on their tabs.
#pragma once
#include <string>
#include <vector>

#include "app/shell/shell_state.h"

namespace tilescope {

/// Id of the command line's, else of that which is kept, else of the system's (LC_ALL, LC_MESSAGES,
/// LANG), where there is such a language; tests and pictures are English by themselves.
std::string first_language(const Options& options, const std::string& kept);
/// Speaks it, as soon as it can be drawn.
void begin_language(ShellState& shell);

/// View ▸ Language: one command each. What is shown changes with the next frame; on a page that has
/// yet to fetch the font, with the one after that.
std::vector<Command> language_commands(ShellState& shell);

/// Tabs say panels' titles in the chosen language. Their windows keep the English ones, by which
/// layouts, settings and tests know them. After ImGui is there.
void translate_tabs();

}  // namespace tilescope
