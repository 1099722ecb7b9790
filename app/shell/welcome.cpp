// What to do first; shown while app/features/feature_list.h is empty.
#include "app/panel.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

void draw_welcome(AppContext& context) {
  ImGui::PushFont(context.fonts.bold, 20);
  ImGui::TextWrapped(
      "See exactly what a GEMM kernel does, and how fast it does it, while you move "
      "its tiles.");
  ImGui::PopFont();
  ImGui::Spacing();
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(context.theme->dim));
  ImGui::TextWrapped("%s",
                     tr("Every command is in the menus, in the palette and in the shortcut list."));
  ImGui::PopStyleColor();
  ImGui::Spacing();
  if (ImGui::Button(tr_id("Any command (Ctrl+P)"))) context.commands.request("help.palette");
  ImGui::SameLine();
  if (ImGui::Button(tr_id("Shortcuts (F1)"))) context.commands.request("help.shortcuts");
}

}  // namespace

extern const Panel welcome_panel{.id = "welcome",
                                 .title = "Welcome",
                                 .docks = {.explore = Dock::kCenter,
                                           .learn = Dock::kCenter,
                                           .tune = Dock::kCenter,
                                           .fragment = Dock::kCenter},
                                 .draw = draw_welcome};

}  // namespace tilescope
