#include "app/shell/named.h"

#include <fmt/format.h>
#include <hello_imgui/hello_imgui.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/common/layout_names.h"
#include "app/shell/shell_commands.h"
#include "app/state/edit.h"
#include "app/state/session.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// --- layouts
// --------------------------------------------------------------------------------------

std::vector<std::string> layout_names(const ShellState& shell) {
  std::vector<std::string> all;
  for (const NamedLayout& layout : shell.settings.layouts) all.push_back(layout.name);
  return all;
}

void forget_layout(ShellState& shell, const std::string& name) {
  std::erase_if(shell.settings.layouts, [&](const NamedLayout& one) { return one.name == name; });
}

std::string put_layout(ShellState& shell, const std::string& name) {
  NamedLayout layout{.name = name,
                     .base = HelloImGui::CurrentLayoutName(),
                     .docking = ImGui::SaveIniSettingsToMemory(),
                     .shown = {}};
  for (const Panel* panel : all_panels()) {
    if (is_shown(*panel)) layout.shown.push_back(panel->id);
  }
  forget_layout(shell, name);
  std::vector<NamedLayout>& all = shell.settings.layouts;
  all.push_back(std::move(layout));
  std::ranges::sort(all, {}, &NamedLayout::name);
  return {};
}

std::string open_layout(ShellState& shell, const std::string& name) {
  const auto& all = shell.settings.layouts;
  const auto found = std::ranges::find(all, name, &NamedLayout::name);
  if (found == all.end()) return wording("There is no layout \"{}\" any more.", name);
  if (std::ranges::none_of(kLayouts, [&](const LayoutName& l) { return found->base == l.title; })) {
    return wording("Layout \"{}\" was made from {}, which this version does not have.", name,
                   found->base);
  }
  HelloImGui::SwitchLayout(found->base);
  shell.named_layout = name;
  shell.named_layout_waits = 2;
  return {};
}

// --- states
// ---------------------------------------------------------------------------------------

fs::path states_folder(const ShellState& shell) { return shell.folder / "states"; }
std::string state_file(const ShellState& shell, const std::string& name) {
  return (states_folder(shell) / (name + ".json")).string();
}

std::vector<std::string> state_names(const ShellState& shell) {
  std::vector<std::string> all;
  if (shell.folder.empty()) return all;
  std::error_code error;
  fs::directory_iterator entry(states_folder(shell), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".json") all.push_back(entry->path().stem().string());
  }
  std::ranges::sort(all);
  return all;
}

std::string put_state(ShellState& shell, const std::string& name) {
  if (shell.folder.empty()) {
    return "Nothing is kept of a window that was opened with --fresh: copy the state as text "
           "instead.";
  }
  return save_state_file(*shell.context.state, state_file(shell, name));
}

std::string open_state(ShellState& shell, const std::string& name) {
  std::string error;
  shell.model->open(state_file(shell, name), &error);
  return error;
}

void forget_state(ShellState& shell, const std::string& name) {
  std::error_code ignored;
  fs::remove(state_file(shell, name), ignored);
}

constexpr NamedKind kNamed[] = {
    {.id = "layout",
     .save = "Save layout as…",
     .menu = "View",
     .list = "View/Layouts of yours",
     .shortcut = "Ctrl+Shift+L",
     .names = layout_names,
     .put = put_layout,
     .open = open_layout,
     .forget = forget_layout},
    {.id = "state",
     .save = "Save state as…",
     .menu = "File",
     .list = "File/States of yours",
     .shortcut = "Ctrl+Shift+S",
     .names = state_names,
     .put = put_state,
     .open = open_state,
     .forget = forget_state},
};

/// Names as they were when the frame began: a menu's places ask for theirs again and again.
const std::vector<std::string>& names_now(const ShellState& shell, const NamedKind& kind) {
  static std::vector<std::string> names[std::size(kNamed)];
  static int frame[std::size(kNamed)] = {};
  const auto i = static_cast<size_t>(&kind - kNamed);
  if (frame[i] != ImGui::GetFrameCount()) {
    frame[i] = ImGui::GetFrameCount();
    names[i] = kind.names(shell);
  }
  return names[i];
}

}  // namespace

std::span<const NamedKind> named_kinds() { return kNamed; }

std::string why_no_name(const std::string& name) {
  constexpr size_t kMost = 60;
  if (name.empty()) return "Give it a name first.";
  if (name.size() > kMost) {
    return wording("A name has at most {} bytes; this one has {}.", kMost, name.size());
  }
  const auto bad = std::ranges::find_if(
      name, [](char c) { return static_cast<unsigned char>(c) < 32 || c == '/' || c == '\\'; });
  if (bad != name.end()) return "A name has no / and no \\: it is not a path.";
  if (name.front() == '.' || name.front() == ' ' || name.back() == ' ') {
    return "A name begins with no point, and has no space at its ends.";
  }
  return {};
}

void follow_named_layout(ShellState& shell) {
  if (shell.named_layout.empty() || --shell.named_layout_waits > 0) return;
  const std::string name = std::exchange(shell.named_layout, {});
  const auto& all = shell.settings.layouts;
  const auto found = std::ranges::find(all, name, &NamedLayout::name);
  if (found == all.end() || HelloImGui::CurrentLayoutName() != found->base) return;
  for (const Panel* panel : all_panels()) {
    auto* window = HelloImGui::GetRunnerParams()->dockingParams.dockableWindowOfName(panel->title);
    if (window) window->isVisible = std::ranges::count(found->shown, panel->id) > 0;
  }
  ImGui::LoadIniSettingsFromMemory(found->docking.data(), found->docking.size());
}

std::vector<Command> named_commands(ShellState& shell) {
  std::vector<Command> commands;
  for (const NamedKind& kind : kNamed) {
    commands.push_back({.id = std::string(kind.id) + ".save",
                        .title = kind.save,
                        .shortcut = kind.shortcut,
                        .menu = kind.menu,
                        .run = [&shell, &kind](AppContext&) { shell.want_named = &kind; },
                        .also = "name keep forget"});
    for (size_t i = 0; i < kMostNamed; ++i) {
      const auto name = [&shell, &kind, i] {
        const std::vector<std::string>& all = names_now(shell, kind);
        return i < all.size() ? all[i] : std::string();
      };
      commands.push_back({.id = fmt::format("{}.named.{}", kind.id, i + 1),
                          .title = wording("Your {} {}", kind.id, i + 1),
                          .menu = kind.list,
                          .run =
                              [&shell, &kind, name](AppContext&) {
                                if (std::string why = kind.open(shell, name()); !why.empty()) {
                                  shell.problem = std::move(why);
                                }
                              },
                          .enabled = [name](AppContext&) { return !name().empty(); },
                          .effect = [name](AppContext&) { return name(); },
                          .label = name});
    }
  }
  return commands;
}

}  // namespace tilescope
