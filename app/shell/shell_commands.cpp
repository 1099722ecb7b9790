#include "app/shell/shell_commands.h"

#include <fmt/format.h>
#include <hello_imgui/hello_imgui.h>

#include <filesystem>
#include <iterator>
#include <utility>

#include "app/shell/device_commands.h"
#include "app/shell/film_form.h"
#include "app/shell/keyboard_mode.h"
#include "app/shell/language_choice.h"
#include "app/shell/layouts.h"
#include "app/shell/named.h"
#include "app/shell/picture_form.h"
#include "app/shell/style.h"
#include "app/state/answer.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

HelloImGui::DockableWindow* window_of(const Panel& panel) {
  return HelloImGui::GetRunnerParams()->dockingParams.dockableWindowOfName(panel.title);
}

}  // namespace

bool is_shown(const Panel& panel) {
  const auto* window = window_of(panel);
  return window && window->isVisible;
}

void hide(const Panel& panel) {
  if (auto* window = window_of(panel)) window->isVisible = false;
}

void bring_to_front(const Panel* panel) {
  auto* window = panel ? window_of(*panel) : nullptr;
  if (!window) return;
  window->isVisible = window->focusWindowAtNextFrame = true;
}

namespace {

/// To where it is: nothing is hidden by it, and undo hides again what was not there.
void go_to(AppContext& context, const Panel& panel) {
  const bool was_shown = is_shown(panel);
  bring_to_front(&panel);
  if (!was_shown && context.state) {
    can_take_back(*context.state, [&panel](AppState&) { hide(panel); });
  }
}

void reset_layout(AppContext& context) {
  auto& docking = HelloImGui::GetRunnerParams()->dockingParams;
  const ImVec2 size = ImGui::GetMainViewport()->Size;
  docking.dockingSplits =
      splits_for(docking.layoutName, size.x / context.scale, size.y / context.scale);
  for (const Panel* panel : all_panels()) {
    if (auto* window = window_of(*panel)) {
      window->isVisible = is_home(docking.layoutName, *panel);
    }
  }
  docking.layoutReset = true;
}

void add_layout_commands(std::vector<Command>* commands) {
  int number = 1;
  for (const LayoutName& layout : kLayouts) {
    const std::string title = layout.title;
    commands->push_back(
        {.id = std::string("view.layout.") + layout.id,
         .title = "Layout: " + title,
         .shortcut = "Ctrl+" + std::to_string(number++),
         .menu = "View",
         .run = [title](AppContext&) { HelloImGui::SwitchLayout(title); },
         .checked = [title](AppContext&) { return HelloImGui::CurrentLayoutName() == title; }});
  }
  commands->push_back({.id = "view.reset_layout",
                       .title = "Reset layout",
                       .shortcut = "Ctrl+0",
                       .menu = "View",
                       .run = reset_layout});
}

void add_panel_commands(std::vector<Command>* commands) {
  for (const Panel* panel : all_panels()) {
    commands->push_back(
        {.id = std::string("view.panel.") + panel->id,
         .title = std::string("Panel: ") + panel->title,
         .shortcut = {},
         .menu = "View/Panels",
         .run = [panel](AppContext&) { is_shown(*panel) ? hide(*panel) : bring_to_front(panel); },
         .checked = [panel](AppContext&) { return is_shown(*panel); },
         .also = panel->id,
         .effect = [panel](AppContext&) { return is_shown(*panel) ? "hides it" : "shows it"; }});
    commands->push_back({.id = std::string("view.go.") + panel->id,
                         .title = panel->title,
                         .shortcut = {},
                         .menu = {},
                         .run = [panel](AppContext& context) { go_to(context, *panel); },
                         .also = std::string("go to panel ") + panel->id,
                         .effect =
                             [panel](AppContext&) {
                               return is_shown(*panel) ? "brings the panel to the front of its tabs"
                                                       : "shows the panel";
                             }});
    if (panel->commands) {
      for (Command& command : panel->commands()) commands->push_back(std::move(command));
    }
  }
}

Command theme_command(ShellState& shell, ThemeKind kind, const char* id, const char* title) {
  return {.id = id,
          .title = title,
          .shortcut = {},
          .menu = "View/Theme",
          .run =
              [&shell, kind](AppContext& context) {
                shell.settings.theme = kind;
                context.theme = &theme_of(kind, shell.options.high_contrast);
                apply_theme_colors(*context.theme);
              },
          .checked = [kind](AppContext& context) { return context.theme->kind == kind; }};
}

std::string scale_text(float scale) {
  return fmt::format("{:.0f} %", static_cast<double>(100 * scale));
}

/// The next of kScales, larger or smaller.
float next_scale(float now, bool larger) {
  if (larger) {
    for (const float scale : kScales) {
      if (scale > now * 1.01f) return scale;
    }
    return std::end(kScales)[-1];
  }
  float before = kScales[0];
  for (const float scale : kScales) {
    if (scale < now * 0.99f) before = scale;
  }
  return before;
}

void add_scale_commands(ShellState& shell, std::vector<Command>* commands) {
  const auto choose = [&shell](float scale) {
    shell.settings.scale = scale;
    apply_scale(scale > 0 ? scale : shell.display_scale, *shell.context.theme);
  };
  commands->push_back({.id = "view.scale.larger",
                       .title = "Larger text",
                       .shortcut = "Ctrl+=",
                       .menu = "View/Scale",
                       .run = [choose](AppContext& c) { choose(next_scale(c.scale, true)); },
                       .also = "scale font size zoom in"});
  commands->push_back({.id = "view.scale.smaller",
                       .title = "Smaller text",
                       .shortcut = "Ctrl+-",
                       .menu = "View/Scale",
                       .run = [choose](AppContext& c) { choose(next_scale(c.scale, false)); },
                       .also = "scale font size zoom out"});
  commands->push_back({.id = "view.scale.display",
                       .title = "Scale: as the display says",
                       .menu = "View/Scale",
                       .run = [choose](AppContext&) { choose(0); },
                       .checked = [&shell](AppContext&) { return shell.settings.scale == 0; }});
  for (const float scale : kScales) {
    commands->push_back(
        {.id = fmt::format("view.scale.{:.0f}", static_cast<double>(100 * scale)),
         .title = "Scale: " + scale_text(scale),
         .menu = "View/Scale",
         .run = [choose, scale](AppContext&) { choose(scale); },
         .checked = [&shell, scale](AppContext&) { return shell.settings.scale == scale; },
         .also = "font size"});
  }
}

/// What the menu has in its places changes; the palette finds a place by its file's name.
void add_recent_commands(ShellState& shell, std::vector<Command>* commands) {
  const auto file_at = [&shell](size_t i) {
    return i < shell.settings.recent_files.size() ? shell.settings.recent_files[i] : std::string();
  };
  for (size_t i = 0; i < kMostRecentFiles; ++i) {
    commands->push_back({.id = fmt::format("file.recent.{}", i + 1),
                         .title = wording("Recent file {}", i + 1),
                         .menu = "File/Recent",
                         .run =
                             [&shell, file_at, i](AppContext&) {
                               std::string error;
                               const std::string file = file_at(i);
                               std::error_code none;
                               if (!std::filesystem::exists(file, none)) {
                                 error = wording("{} is not there any more.", file);
                               } else if (shell.model->open(file, &error)) {
                                 return remember_file(shell.settings, file);
                               }
                               shell.problem = error;
                               std::erase(shell.settings.recent_files, file);
                             },
                         .enabled = [file_at, i](AppContext&) { return !file_at(i).empty(); },
                         .effect = [file_at, i](AppContext&) { return file_at(i); },
                         .label = [file_at, i] { return file_at(i); }});
  }
}

}  // namespace

std::vector<Command> shell_commands(ShellState& shell) {
  std::vector<Command> commands;
  commands.push_back({.id = "file.quit",
                      .title = "Quit",
                      .shortcut = "Ctrl+Q",
                      .menu = "File",
                      .run = [&shell](AppContext&) { shell.want_quit = true; }});
  add_layout_commands(&commands);
  commands.push_back(theme_command(shell, ThemeKind::kDark, "view.theme.dark", "Theme: dark"));
  commands.push_back(theme_command(shell, ThemeKind::kLight, "view.theme.light", "Theme: light"));
  for (Command& command : language_commands(shell)) commands.push_back(std::move(command));
  add_scale_commands(shell, &commands);
  commands.push_back({.id = "view.still",
                      .title = "Reduced motion",
                      .menu = "View",
                      .run =
                          [&shell](AppContext& context) {
                            shell.settings.still = !shell.settings.still;
                            context.still = shell.options.reduced_motion || shell.settings.still;
                          },
                      .checked = [](AppContext& context) { return context.still; },
                      .also = "animation camera glide still"});
  add_recent_commands(shell, &commands);
  for (Command& command : picture_commands(shell)) commands.push_back(std::move(command));
  for (Command& command : film_commands(shell)) commands.push_back(std::move(command));
  for (Command& command : named_commands(shell)) commands.push_back(std::move(command));
  for (Command& command : device_commands(shell)) commands.push_back(std::move(command));
  for (Command& command : keyboard_commands()) commands.push_back(std::move(command));
  add_panel_commands(&commands);
  commands.push_back({.id = "help.palette",
                      .title = "Any command",
                      .shortcut = "Ctrl+P",
                      .menu = "Help",
                      .run = [&shell](AppContext&) { shell.want_palette = true; }});
  commands.push_back({.id = "help.shortcuts",
                      .title = "Shortcuts",
                      .shortcut = "F1",
                      .menu = "Help",
                      .run = [&shell](AppContext&) { shell.want_shortcuts = true; }});
  return commands;
}

}  // namespace tilescope
