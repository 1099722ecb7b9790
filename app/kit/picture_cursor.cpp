#include "app/kit/picture_cursor.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <map>

#include "app/kit/item_keys.h"

namespace tilescope::widgets {
namespace {

constexpr float kStep = 2;  // px: no thing that is picked is thinner

std::map<ImGuiID, viz::Point>& cursors() {
  static std::map<ImGuiID, viz::Point> all;
  return all;
}

bool inside(const viz::Scene& scene, viz::Point p) {
  return p.x >= 0 && p.y >= 0 && p.x < scene.size.w && p.y < scene.size.h;
}

}  // namespace

viz::Point next_thing(const viz::Scene& scene, viz::Point from, int dx, int dy) {
  const auto here = viz::pick(scene, from.x, from.y);
  const auto moved = [&](viz::Point p) {
    return viz::Point{p.x + kStep * static_cast<float>(dx), p.y + kStep * static_cast<float>(dy)};
  };
  viz::Point p = moved(from);
  std::optional<viz::Pick> found;
  for (; inside(scene, p); p = moved(p)) {
    found = viz::pick(scene, p.x, p.y);
    if (found && found != here) break;
  }
  if (!inside(scene, p)) return from;
  viz::Point last = p;
  for (viz::Point q = moved(p); inside(scene, q) && viz::pick(scene, q.x, q.y) == found;
       q = moved(q)) {
    last = q;
  }
  return {(p.x + last.x) / 2, (p.y + last.y) / 2};
}

std::optional<viz::Point> picture_cursor_at(unsigned int item) {
  const auto at = cursors().find(item);
  return at == cursors().end() ? std::nullopt : std::optional(at->second);
}

std::optional<CursorKeys> picture_cursor(const viz::Scene& scene) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiID item = ImGui::GetItemID();
  if (!by_keyboard() || !ImGui::IsItemFocused()) return {};
  auto [entry, is_new] = cursors().try_emplace(item);
  viz::Point& at = entry->second;
  if (is_new || !inside(scene, at)) at = {scene.size.w / 2, scene.size.h / 2};
  struct Way {
    ImGuiKey key;
    int dx, dy;
  };
  constexpr Way kWays[] = {{ImGuiKey_LeftArrow, -1, 0},
                           {ImGuiKey_RightArrow, 1, 0},
                           {ImGuiKey_UpArrow, 0, -1},
                           {ImGuiKey_DownArrow, 0, 1}};
  for (const Way& way : kWays) {
    if (take_key(way.key)) at = next_thing(scene, at, way.dx, way.dy);
  }
  CursorKeys keys{.at = at};
  const bool enter = take_key(ImGuiKey_Enter) || take_key(ImGuiKey_Space);
  keys.twice = enter && g.IO.KeyShift;
  keys.enter = enter;
  if (take_key(ImGuiKey_PageUp)) keys.wheel = 1;
  if (take_key(ImGuiKey_PageDown)) keys.wheel = -1;
  return keys;
}

}  // namespace tilescope::widgets
