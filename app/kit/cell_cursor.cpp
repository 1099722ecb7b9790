#include "app/kit/cell_cursor.h"

#include <algorithm>
#include <map>

#include "app/kit/item_keys.h"

namespace tilescope::widgets {
namespace {

constexpr int kPage = 10;  // lines

struct Place {
  int line = 0, column = 0;
  bool operator==(const Place&) const = default;
};

}  // namespace

std::optional<CellKeys> cell_cursor(int columns, int lines) {
  static std::map<ImGuiID, Place> places;
  if (!by_keyboard() || !ImGui::IsItemFocused() || columns < 1 || lines < 1) return {};
  Place& at = places[ImGui::GetItemID()];
  const Place before = at;
  struct Way {
    ImGuiKey key;
    int lines, columns;
  };
  const Way ways[] = {{ImGuiKey_LeftArrow, 0, -1},  {ImGuiKey_RightArrow, 0, 1},
                      {ImGuiKey_UpArrow, -1, 0},    {ImGuiKey_DownArrow, 1, 0},
                      {ImGuiKey_PageUp, -kPage, 0}, {ImGuiKey_PageDown, kPage, 0},
                      {ImGuiKey_Home, 0, -columns}, {ImGuiKey_End, 0, columns}};
  for (const Way& way : ways) {
    if (take_key(way.key)) at.line += way.lines, at.column += way.columns;
  }
  // The table may have become smaller, too.
  at.line = std::clamp(at.line, 0, lines - 1);
  at.column = std::clamp(at.column, 0, columns - 1);
  CellKeys keys{.line = at.line, .column = at.column, .moved = at != before};
  for (const ImGuiKey key : {ImGuiKey_Enter, ImGuiKey_Space}) {
    keys.enter = take_key(key) || keys.enter;
  }
  return keys;
}

void draw_cell_cursor(const AppContext& context, const CellKeys& keys, ImVec2 from, ImVec2 to) {
  const float thick = 2 * context.scale;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRect({from.x - thick, from.y - thick}, {to.x + thick, to.y + thick},
                to_imgui(context.theme->accent), 0, 0, thick);
  if (!keys.moved) return;
  const ImVec2 low = ImGui::GetWindowPos();
  const float room = ImGui::GetWindowHeight(), wide = ImGui::GetWindowWidth();
  const float y = from.y - low.y, x = from.x - low.x;
  if (y < 0 || to.y - low.y > room) ImGui::SetScrollY(ImGui::GetScrollY() + y - room / 2);
  if (x < 0 || to.x - low.x > wide) ImGui::SetScrollX(ImGui::GetScrollX() + x - wide / 2);
}

void place_tooltip_beside(ImVec2 from, ImVec2 to) {
  const ImVec2 middle = ImGui::GetMainViewport()->GetCenter();
  const bool right = from.x > middle.x, low = from.y > middle.y;
  const float gap = 6;
  ImGui::SetNextWindowPos({right ? from.x - gap : to.x + gap, low ? to.y : from.y},
                          ImGuiCond_Always, {right ? 1.f : 0.f, low ? 1.f : 0.f});
}

}  // namespace tilescope::widgets
