#include <cstdio>
#include <string>

#include "app/kit/widgets.h"
#include "app/shell/bars.h"
#include "core/language/language.h"
#include "core/language/retold.h"

namespace tilescope {
namespace {

Color color_of(StatusItem::Kind kind, const Theme& theme) {
  switch (kind) {
    case StatusItem::Kind::kDim:
      return theme.dim;
    case StatusItem::Kind::kOk:
      return theme.ok;
    case StatusItem::Kind::kWarning:
      return theme.warning;
    case StatusItem::Kind::kPlain:
      break;
  }
  return theme.text;
}

}  // namespace

void draw_status_bar(ShellState& shell) {
  AppContext& context = shell.context;
  const float s = context.scale;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 corner = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  draw->AddRectFilled(corner, {corner.x + size.x, corner.y + size.y},
                      to_imgui(context.theme->tab_bar));
  draw->AddLine(corner, {corner.x + size.x, corner.y}, to_imgui(context.theme->border));
  ImGui::PushFont(context.fonts.text, Fonts::kLabel);
  std::vector<StatusItem> items = context.model.status();
  if (!shell.problem.empty()) {
    items.insert(items.begin(), {shell.problem, StatusItem::Kind::kWarning, {}});
  }

  // A figure that changes each frame would make two equal pictures differ.
  std::string frame;
  if (!context.rendering) frame = wording("frame {:.1f} ms", shell.frame_ms);
  const float end = ImGui::GetWindowWidth() - 12 * s;
  const float frame_width = ImGui::CalcTextSize(wording("frame {:.1f} ms", 100.0f).c_str()).x;
  const float y = (ImGui::GetWindowHeight() - ImGui::GetTextLineHeight()) / 2;

  float x = 12 * s;
  for (size_t i = 0; i < items.size(); ++i) {
    const float room = end - frame_width - 12 * s - x;
    if (room < 24 * s) break;
    const std::string said = retold(items[i].text);
    const std::string text = widgets::elide(said, room);
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SetCursorPos({x, y});
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(color_of(items[i].kind, *context.theme)));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
    if (text != said || !items[i].tooltip.empty()) {
      widgets::tooltip(context, items[i].tooltip.empty() ? said : items[i].tooltip);
    }
    if (*items[i].command != 0) {
      if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (ImGui::IsItemClicked()) context.commands.request(items[i].command);
    }
    x += width + 9 * s;
    if (i + 1 < items.size()) {
      draw->AddLine({corner.x + x, corner.y + y + s}, {corner.x + x, corner.y + y + 11 * s},
                    to_imgui(context.theme->border));
      x += 9 * s;
    }
  }
  ImGui::SetCursorPos({end - ImGui::CalcTextSize(frame.c_str()).x, y});
  ImGui::TextDisabled("%s", frame.c_str());
  ImGui::PopFont();
}

}  // namespace tilescope
