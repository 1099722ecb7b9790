#include "app/features/own/panels/open_file.h"

#include <fmt/format.h>
#include <imgui.h>

#include <filesystem>

#include "app/features/own/own_examples.h"
#include "app/features/own/own_view.h"
#include "app/features/own/panels/file_choice.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "app/state/own_sheet.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;
namespace fs = std::filesystem;

bool take_path(AppState& state, const std::string& path, std::string& why) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    show_folder(path);
    why.clear();
    return false;
  }
  why = is_kernel_file(path) ? "" : wording("\"{}\" is no .cu or .ptx; give one of these.", path);
  if (!why.empty()) return false;
  const fs::path whole = fs::absolute(path, error);
  open_own_kernel(state, {error ? path : whole.string(), ""});
  return true;
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
    if (file_row(context, name, fmt::format("recent{}", i), files[i])) {
      taken = take_path(state, files[i], why);
    }
  }
  return taken;
}

}  // namespace

bool file_row(AppContext& context, const std::string& text, const std::string& id,
              const std::string& tip) {
  const float left = ImGui::GetCursorPosX();
  const bool clicked = ImGui::Selectable(("##" + id).c_str());
  if (!tip.empty()) tooltip(context, tip);
  ImGui::SameLine(left);
  elided(context, text);
  return clicked;
}

bool open_file_fields(AppContext& context) {
  AppState& state = *context.state;
  static std::string why;
  std::string path;
  bool taken = choose_by_path(context, path) && take_path(state, path, why);
  if (!why.empty()) elided(context, why, Tone::warning);
  taken = recent_rows(context, state, why) || taken;
  for (const OwnExample& example : own_examples()) {
    if (example.is_planted_bug) continue;  // Learn has those
    const std::string title = wording("Example: {}", example.title);
    if (!file_row(context, title, "Example: " + example.title)) continue;
    why = open_example(state, example);
    taken = why.empty();
  }
  if (choose_in_folder(context, path)) taken = take_path(state, path, why) || taken;
  return taken;
}

}  // namespace tilescope
