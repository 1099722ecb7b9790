// What a person can do, as data. The menu bar, the palette (Ctrl+P), the shortcut list (F1) and the
// keyboard are all made from these rows, so a command that exists can be found in each of them.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace tilescope {

struct AppContext;

struct Command {
  std::string id;             // "view.layout.learn": stable, unique
  std::string title;          // "Layout: Learn": what the palette shows
  std::string shortcut = {};  // "Ctrl+Shift+P", "Space", "Left"; empty: none
  std::string menu;           // "View/Layouts": where in the menu bar; empty: palette only
  std::function<void(AppContext&)> run;
  std::function<bool(AppContext&)> enabled = {};  // empty: always
  std::function<bool(AppContext&)> checked = {};  // empty: no tick
  std::string also = {};                          // other names that the palette finds it by
  /// What it would do now, in a few words beside it in the palette; empty: its menu stands there.
  std::function<std::string(AppContext&)> effect = {};
  /// What the menu says in place of the title, where that changes; an empty one is not in the menu.
  std::function<std::string()> label = {};
};

/// All commands, and those asked for since the last frame. Commands run between frames: one that
/// switches the layout must not pull the window away from under the panel that asked for it.
class CommandTable {
 public:
  void add(std::vector<Command> commands);
  const std::vector<Command>& all() const { return commands_; }
  const Command* find(const std::string& id) const;

  /// Runs `id` before the next frame; unknown ids and disabled commands do nothing.
  void request(std::string id) { pending_.push_back(std::move(id)); }

  /// Called by the shell between frames.
  void run_pending(AppContext& context);

 private:
  std::vector<Command> commands_;
  std::vector<std::string> pending_;
};

}  // namespace tilescope
