#include "app/kit/table_cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/kit/widgets.h"
#include "core/language/language.h"

namespace tilescope::widgets {

void right_text(const AppContext& context, const std::string& text, ImVec4 color) {
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string_view said = translated(text);
  const std::string shown = elide(said, std::max(room, 1.0f));
  const float width = ImGui::CalcTextSize(shown.c_str()).x;
  if (room > width) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(shown.c_str());
  ImGui::PopStyleColor();
  if (shown != said) tooltip(context, said);
}

void swatch(const AppContext& context, Color color) {
  const float s = context.scale, line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled(
      {at.x, at.y + line / 2 - 4 * s}, {at.x + 8 * s, at.y + line / 2 + 4 * s}, to_imgui(color));
  ImGui::SetCursorScreenPos({at.x + 13 * s, at.y});
}

bool name_cell(const AppContext& context, const NameCell& cell) {
  if (cell.chosen) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, to_imgui(context.theme->accent_ground));
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked =
      ImGui::Selectable(fmt::format("##{}", cell.id).c_str(), false,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap,
                        {0, ImGui::GetTextLineHeight() + 5 * context.scale});
  tooltip(context, cell.tip);
  ImGui::SetCursorScreenPos(at);
  swatch(context, cell.color);
  elided(context, cell.label);
  return clicked;
}

}  // namespace tilescope::widgets
