#include "app/shell/picture_part.h"

#include <imgui_internal.h>

#include <algorithm>

#include "app/shell/shell_commands.h"
#include "core/language/language.h"

namespace tilescope {

bool begin_form(const AppContext& context, const char* name) {
  const float s = context.scale;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport->GetCenter().x, viewport->Pos.y + 60 * s}, ImGuiCond_Always,
                          {0.5f, 0});
  ImGui::SetNextWindowSizeConstraints({300 * s, 0}, {560 * s, FLT_MAX});
  return ImGui::BeginPopup(name);
}

bool choose_part(const AppContext& context, const Panel** panel) {
  ImGui::SetNextItemWidth(220 * context.scale);
  if (!ImGui::BeginCombo("##what", tr(*panel ? (*panel)->title : "the window"))) return false;
  bool chosen = false;
  if (ImGui::Selectable(tr_id("the window"), !*panel)) *panel = nullptr, chosen = true;
  for (const Panel* one : all_panels()) {
    if (!is_shown(*one)) continue;
    if (ImGui::Selectable(tr_id(one->title), *panel == one)) *panel = one, chosen = true;
  }
  ImGui::EndCombo();
  return chosen;
}

ScreenPart pixels_of(const Panel* panel) {
  const ImGuiIO& io = ImGui::GetIO();
  const ImRect all({0, 0}, io.DisplaySize);
  ImRect part = all;
  if (panel) {
    const ImGuiWindow* window = ImGui::FindWindowByName(panel->title);
    if (!window || !window->WasActive) return {};
    part = window->InnerRect;
    part.ClipWithFull(all);
  }
  const ImVec2 by = io.DisplayFramebufferScale;
  return {static_cast<int>(part.Min.x * by.x),
          static_cast<int>((io.DisplaySize.y - part.Max.y) * by.y),
          static_cast<int>(part.GetWidth() * by.x), static_cast<int>(part.GetHeight() * by.y)};
}

std::string file_name_of(const Panel* panel, const std::string& ending) {
  return std::string(panel ? panel->id : "tilescope") + ending;
}

}  // namespace tilescope
