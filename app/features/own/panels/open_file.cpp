#include "app/features/own/panels/open_file.h"

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "app/features/own/own_examples.h"
#include "app/features/own/own_view.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "app/state/own_sheet.h"

namespace tilescope {
namespace {

using namespace widgets;
namespace fs = std::filesystem;

constexpr size_t kMostEntries = 2000;  // of a folder

/// A folder as it was read last.
struct Browsed {
  fs::path folder;
  std::vector<std::string> folders, files;
  std::string error;
  bool read = false;
};
Browsed& browsed() {
  static Browsed b;
  return b;
}

void read_folder(Browsed& b, const fs::path& folder) {
  b = {};
  b.folder = folder;
  b.read = true;
  std::error_code error;
  fs::directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  if (error) {
    b.error = fmt::format("{} cannot be read: {}.", folder.string(), error.message());
    return;
  }
  for (; entry != fs::directory_iterator(); entry.increment(error)) {
    if (error || b.folders.size() + b.files.size() >= kMostEntries) break;
    const std::string name = entry->path().filename().string();
    if (name.starts_with(".")) continue;
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      b.folders.push_back(name);
    } else if (is_kernel_file(name)) {
      b.files.push_back(name);
    }
  }
  std::ranges::sort(b.folders);
  std::ranges::sort(b.files);
}

bool take_path(AppState& state, const std::string& path, std::string& why) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    read_folder(browsed(), path);
    why.clear();
    return false;
  }
  why = is_kernel_file(path) ? "" : "\"" + path + "\" is no .cu or .ptx; give one of these.";
  if (!why.empty()) return false;
  const fs::path whole = fs::absolute(path, error);
  open_own_kernel(state, {error ? path : whole.string(), ""});
  return true;
}

/// A row to click, as wide as the panel whatever its text is.
bool row(AppContext& context, const std::string& text, const std::string& id,
         const std::string& tip = {}) {
  const float left = ImGui::GetCursorPosX();
  const bool clicked = ImGui::Selectable(("##" + id).c_str());
  if (!tip.empty()) tooltip(context, tip);
  ImGui::SameLine(left);
  elided(context, text);
  return clicked;
}

bool recent_rows(AppContext& context, AppState& state, std::string& why) {
  const std::vector<std::string> files = state.of<OwnRecent>().files;
  if (files.empty()) return false;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, "OPENED BEFORE", Tone::dim);
  ImGui::PopFont();
  bool taken = false;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string name = fs::path(files[i]).filename().string();
    if (row(context, name, fmt::format("recent{}", i), files[i])) {
      taken = take_path(state, files[i], why);
    }
  }
  return taken;
}

bool folder_rows(AppContext& context, AppState& state, std::string& why) {
  Browsed& b = browsed();
  if (!b.read) {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    read_folder(b, error ? fs::path("/") : here);
  }
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, b.folder.string(), Tone::dim);
  ImGui::PopFont();
  if (!b.error.empty()) elided(context, b.error, Tone::warning);
  fs::path next;
  bool taken = false;
  const float height = std::max(120 * context.scale, ImGui::GetContentRegionAvail().y * 0.6f);
  if (ImGui::BeginChild("##own_folder", {0, height}, ImGuiChildFlags_Borders)) {
    if (b.folder.has_parent_path() && ImGui::Selectable("..##own_up"))
      next = b.folder.parent_path();
    for (const std::string& name : b.folders) {
      if (row(context, name + "/", name + "/own_folder")) next = b.folder / name;
    }
    for (const std::string& name : b.files) {
      if (row(context, name, name + "own_file")) {
        taken = take_path(state, (b.folder / name).string(), why);
      }
    }
    if (b.files.empty()) elided(context, "no .cu and no .ptx here", Tone::dim);
  }
  ImGui::EndChild();
  if (!next.empty()) read_folder(b, next);
  return taken;
}

}  // namespace

bool open_file_fields(AppContext& context) {
  AppState& state = *context.state;
  static std::string path, why;
  const float button = small_button_width("Open");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - button - 8 * context.scale);
  const bool entered = ImGui::InputTextWithHint("##own_path", "path of a .cu or .ptx", &path,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine(0, 4 * context.scale);
  bool taken = false;
  if (ImGui::Button("Open") || entered) taken = take_path(state, path, why);
  if (!why.empty()) elided(context, why, Tone::warning);
  taken = recent_rows(context, state, why) || taken;
  for (const OwnExample& example : own_examples()) {
    const std::string title = fmt::format("Example: {}", example.title);
    if (!row(context, title, title)) continue;
    why = open_example(state, example);
    taken = why.empty();
  }
  return folder_rows(context, state, why) || taken;
}

}  // namespace tilescope
