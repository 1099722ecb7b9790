// What somebody has put away by a name, and comes back to by it: layouts of the window, states of
// the work. One row each; the form, the menus and the palette are made from them.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/shell/shell_state.h"

namespace tilescope {

struct NamedKind {
  const char* id;    // "layout", of commands
  const char* save;  // "Save layout as…"
  const char* menu;  // of the form
  const char* list;  // menu of those that there are
  const char* shortcut;
  std::vector<std::string> (*names)(const ShellState&);
  /// Empty, or why not, in a sentence. One of that name is replaced.
  std::string (*put)(ShellState&, const std::string& name);
  std::string (*open)(ShellState&, const std::string& name);
  void (*forget)(ShellState&, const std::string& name);
};
std::span<const NamedKind> named_kinds();

/// Empty, or what is wrong with it, in a sentence.
std::string why_no_name(const std::string& name);

/// Once per frame, outside of any panel: the form, while it is open.
void draw_named_form(ShellState& shell);
/// Between frames: a layout that was asked for comes once its base is there.
void follow_named_layout(ShellState& shell);

std::vector<Command> named_commands(ShellState& shell);

}  // namespace tilescope
