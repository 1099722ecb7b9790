#include "app/shell/language_choice.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "app/shell/language_font.h"
#include "app/state/edit.h"
#include "app/state/second.h"
#include "core/files/whole_file.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

bool is_language(std::string_view id) {
  return std::ranges::any_of(languages(), [&](const LanguageName& one) { return one.id == id; });
}

/// "zh_CN.UTF-8" → "zh-CN", or another language of that name, "zh".
std::string language_of_system() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(variable);
    if (!value || !*value) continue;
    std::string wanted = std::string(value).substr(0, std::string_view(value).find_first_of(".@"));
    for (char& c : wanted) c = c == '_' ? '-' : c;
    if (is_language(wanted)) return wanted;
    const std::string of = wanted.substr(0, wanted.find('-'));
    for (const LanguageName& language : languages()) {
      if (language.id.substr(0, language.id.find('-')) == of) return language.id;
    }
    return {};
  }
  return {};
}

/// Sentences that the state keeps are made again.
void say_again(AppState& state) {
  derive(state);
  if (AppState* second = second_of(state)) derive(*second);
}

void speak(AppContext& context, const std::string& id) {
  const uint64_t before = language_changes();
  use_language(id);
  if (context.state && language_changes() != before) say_again(*context.state);
}

void name_window(const char* title, const char* name) {
  ImGuiWindow* window = ImGui::FindWindowByName(title);
  if (!window || !window->DockIsActive || std::string_view(window->Name) == name) return;
  auto size = static_cast<size_t>(window->NameBufLen);
  window->Name = ImStrdupcpy(window->Name, &size, name);
  window->NameBufLen = static_cast<int>(size);
}
/// Tabs are drawn with the dock space, before the panels' windows begin, by which ImGui gives them
/// their English names again.
void name_all(ImGuiContext*, ImGuiContextHook* hook) {
  const bool shown = hook->Type == ImGuiContextHookType_NewFramePost;
  for (const Panel* panel : all_panels()) {
    name_window(panel->title, shown ? tr(panel->title) : panel->title);
  }
}

/// For tools/languages --record: what the window has looked up goes to this file, a line each as
/// JSON.
void record_where_asked() {
  struct Record {
    std::string file;
    std::set<std::string> messages;
    ~Record() {
      record_messages(nullptr);
      std::string lines;
      for (const std::string& message : messages) lines += nlohmann::json(message).dump() + "\n";
      files::replace_file(file, lines);
    }
  };
  const char* file = std::getenv("TILESCOPE_MESSAGES");
  if (!file) return;
  static Record record{file, {}};
  record_messages(&record.messages);
}

}  // namespace

std::string first_language(const Options& options, const std::string& kept) {
  for (const std::string& id : {options.language, kept}) {
    if (is_language(id)) return id;
  }
  const std::string id = options.fresh || options.render ? "" : language_of_system();
  return id.empty() ? "en" : id;
}

void begin_language(ShellState& shell) {
  record_where_asked();
  use_language("en");
  const std::string id = first_language(shell.options, shell.settings.language);
  when_drawable(shell.context.fonts, id, [&shell, id] { speak(shell.context, id); });
}

std::vector<Command> language_commands(ShellState& shell) {
  std::vector<Command> commands;
  for (const LanguageName& one : languages()) {
    commands.push_back({.id = "view.language." + one.id,
                        .title = "Language: " + one.name,
                        .menu = "View/Language",
                        .run =
                            [&shell, id = one.id](AppContext& context) {
                              shell.settings.language = id;
                              when_drawable(context.fonts, id,
                                            [&context, id] { speak(context, id); });
                            },
                        .checked = [id = one.id](AppContext&) { return language().id == id; },
                        .also = "language " + one.id});
  }
  return commands;
}

void translate_tabs() {
  for (const ImGuiContextHookType type :
       {ImGuiContextHookType_NewFramePost, ImGuiContextHookType_EndFramePre}) {
    ImGuiContextHook hook;
    hook.Type = type;
    hook.Callback = name_all;
    ImGui::AddContextHook(ImGui::GetCurrentContext(), &hook);
  }
}

}  // namespace tilescope
