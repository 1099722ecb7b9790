#include "app/shell/picture_form.h"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "app/kit/scene_view.h"
#include "app/kit/widgets.h"
#include "app/shell/headless.h"
#include "app/shell/picture_part.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "core/language/language.h"
#include "viz/vector/vector.h"

namespace tilescope {
namespace {

constexpr const char* kEndings[] = {".png", ".svg", ".pdf"};

struct Form {
  const Panel* panel = nullptr;  // null: the window
  int ending = 0;
  std::string path, said;
  // A PNG is of the pixels on the screen, which are there once the frame is drawn.
  bool wanted = false;
  ScreenPart part;
};
Form& form() {
  static Form f;
  return f;
}

/// Null: the panel is made of widgets, and drawn as PNG alone.
const Picture* scene_of(const Panel* panel, const AppState& state) {
  const Picture* picture = panel ? find_picture(panel->id) : nullptr;
  const bool can = picture && (picture->without_plan || why_no_plan(state, panel->title).empty());
  return can ? picture : nullptr;
}

void suggest() {
  Form& f = form();
  f.path = file_name_of(f.panel, kEndings[f.ending]);
  f.said.clear();
}

/// As large as the panel is.
bool save_scene(const AppContext& context, const Picture& picture, const Panel& panel,
                const std::string& path, std::string* error) {
  const ImGuiWindow* window = ImGui::FindWindowByName(panel.title);
  const ImVec2 size = window ? window->InnerRect.GetSize() : ImVec2(800, 500);
  const viz::CairoMeasure measure;
  const viz::Scene scene =
      picture.build(*context.state, widgets::palette_of(context), measure,
                    {std::max(1.f, size.x / context.scale), std::max(1.f, size.y / context.scale)});
  return viz::write_file(scene, path, {context.scale, true}, error);
}

void save(AppContext& context) {
  Form& f = form();
  f.said.clear();
  const std::string ending = std::filesystem::path(f.path).extension().string();
  if (std::ranges::find(kEndings, ending) == std::end(kEndings)) {
    f.said = "The name must end in .png, .svg or .pdf.";
    return;
  }
  if (ending == ".png") {
    f.part = pixels_of(f.panel);
    f.wanted = true;
    return;
  }
  const Picture* picture = scene_of(f.panel, *context.state);
  if (!picture) {
    f.said =
        wording("{} is made of widgets: save it as .png.", f.panel ? f.panel->title : "The window");
    return;
  }
  if (!save_scene(context, *picture, *f.panel, f.path, &f.said)) return;
  say(*context.state, wording("Saved {}.", f.path));
  ImGui::CloseCurrentPopup();
}

}  // namespace

void draw_picture_form(ShellState& shell) {
  AppContext& context = shell.context;
  if (std::exchange(shell.want_picture, false)) {
    form() = {};
    suggest();
    ImGui::OpenPopup("Save picture");
  }
  if (!begin_form(context, "Save picture")) return;
  Form& f = form();
  ImGui::TextUnformatted(tr("A picture, as it stands, of"));
  if (choose_part(context, &f.panel)) {
    if (!scene_of(f.panel, *context.state)) f.ending = 0;
    suggest();
  }
  ImGui::SameLine();
  const bool scene = scene_of(f.panel, *context.state) != nullptr;
  if (widgets::segmented(context, "ending", kEndings, &f.ending,
                         widgets::segmented_width(context, kEndings), scene ? ~0u : 1u,
                         "What is made of widgets is saved as PNG; Tiling, Timeline, Fragment and "
                         "other scenes as SVG and PDF, too.")) {
    suggest();
  }
  ImGui::SetNextItemWidth(420 * context.scale);
  const bool enter = ImGui::InputText("##path", &f.path, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if (ImGui::Button(tr_id("Save")) || enter) {
    save(context);
    if (f.wanted) ImGui::CloseCurrentPopup();
  }
  if (!f.said.empty()) ImGui::TextWrapped("%s", f.said.c_str());
  ImGui::EndPopup();
}

void save_wanted_pixels(ShellState& shell) {
  Form& f = form();
  // The form itself is no part of the picture: it is gone in the frame after.
  if (!f.wanted || ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  f.wanted = false;
  std::string error;
  if (write_screen_png(f.part, f.path, &error)) {
    say(*shell.context.state, wording("Saved {}.", f.path));
  } else {
    shell.problem = error;
  }
}

std::vector<Command> picture_commands(ShellState& shell) {
  return {{.id = "file.picture",
           .title = "Save picture…",
           .menu = "File",
           .run = [&shell](AppContext&) { shell.want_picture = true; },
           .also = "export screenshot window panel svg pdf png"}};
}

}  // namespace tilescope
