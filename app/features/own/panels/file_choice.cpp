#include "app/features/own/panels/file_choice.h"

#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/own_sheet.h"
#include "core/language/language.h"

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
    b.error = wording("{} cannot be read: {}.", folder.string(), error.message());
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

}  // namespace

bool choose_by_path(AppContext& context, std::string& path) {
  static std::string typed;
  const float button = small_button_width("Open");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - button - 8 * context.scale);
  const bool entered = ImGui::InputTextWithHint("##own_path", tr("path of a .cu or .ptx"), &typed,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine(0, 4 * context.scale);
  if (!ImGui::Button(tr_id("Open")) && !entered) return false;
  path = typed;
  return true;
}

void show_folder(const std::string& folder) { read_folder(browsed(), folder); }

bool choose_in_folder(AppContext& context, std::string& path) {
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
      if (file_row(context, name + "/", name + "/own_folder")) next = b.folder / name;
    }
    for (const std::string& name : b.files) {
      if (!file_row(context, name, name + "own_file")) continue;
      path = (b.folder / name).string();
      taken = true;
    }
    if (b.files.empty()) elided(context, "no .cu and no .ptx here", Tone::dim);
  }
  ImGui::EndChild();
  if (!next.empty()) read_folder(b, next);
  return taken;
}

}  // namespace tilescope
