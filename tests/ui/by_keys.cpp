#include "tests/ui/by_keys.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "app/kit/picture_cursor.h"
#include "app/kit/scene_view.h"
#include "app/shell/keyboard_mode.h"
#include "app/shell/shell_state.h"
#include "tests/ui/seen_windows.h"

namespace tilescope::ui_test {
namespace {

constexpr int kMostTabs = 200, kMostPanels = 40;
constexpr size_t kMostThings = 4000;  // of a picture, that are looked through

/// The focus is on a child window that the item lies in: Enter goes into it.
bool is_before(const ImGuiWindow* window) {
  const ImGuiID now = ImGui::GetCurrentContext()->NavId;
  for (const ImGuiWindow* w = window; w && w->ParentWindow && w->ChildId != 0;
       w = w->ParentWindow) {
    if (w->ChildId == now) return true;
  }
  return false;
}

/// The arrows from a point to a thing that is wanted, by the fewest; nothing: there is no way.
std::optional<std::vector<ImGuiKey>> way_to(const viz::Scene& scene, viz::Point from,
                                            const std::function<bool(const viz::Pick&)>& wanted) {
  struct Place {
    viz::Point at;
    size_t before;
    ImGuiKey key;
  };
  struct Arrow {
    ImGuiKey key;
    int dx, dy;
  };
  constexpr Arrow kArrows[] = {{ImGuiKey_LeftArrow, -1, 0},
                               {ImGuiKey_RightArrow, 1, 0},
                               {ImGuiKey_UpArrow, 0, -1},
                               {ImGuiKey_DownArrow, 0, 1}};
  const auto name = [](viz::Point p) { return std::pair{std::lround(p.x), std::lround(p.y)}; };
  std::vector<Place> places = {{from, 0, ImGuiKey_None}};
  std::set<std::pair<long, long>> known = {name(from)};
  for (size_t i = 0; i < places.size() && i < kMostThings; ++i) {
    const viz::Point at = places[i].at;
    const auto thing = viz::pick(scene, at.x, at.y);
    if (thing && wanted(*thing)) {
      std::vector<ImGuiKey> keys;
      for (size_t back = i; back != 0; back = places[back].before) {
        keys.push_back(places[back].key);
      }
      std::reverse(keys.begin(), keys.end());
      return keys;
    }
    for (const Arrow& arrow : kArrows) {
      const viz::Point to = widgets::next_thing(scene, at, arrow.dx, arrow.dy);
      if (known.insert(name(to)).second) places.push_back({to, i, arrow.key});
    }
  }
  return std::nullopt;
}

}  // namespace

bool take_from_palette(ImGuiTestContext* ctx, const std::string& typed,
                       const std::function<bool(const PaletteRow&)>& wanted) {
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
  ctx->Yield(3);
  ctx->KeyCharsAppend(typed.c_str());
  ctx->Yield(3);
  const std::vector<PaletteRow>& rows = shell().palette.rows;
  const auto row = std::find_if(rows.begin(), rows.end(), [&wanted](const PaletteRow& one) {
    return !wanted || wanted(one);
  });
  if (row == rows.end()) {
    ctx->LogError("the palette has no such row for %s", typed.c_str());
    ctx->KeyPress(ImGuiKey_Escape);
    ctx->Yield(2);
    return false;
  }
  const auto down = static_cast<int>(row - rows.begin());
  for (int i = 0; i < down; ++i) ctx->KeyPress(ImGuiKey_DownArrow);
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(4);
  return true;
}

bool go_to_panel(ImGuiTestContext* ctx, const Panel& panel) {
  if (!is_seen(window_of(panel))) {
    const std::string command = std::string("view.go.") + panel.id;
    const auto goes = [&](const PaletteRow& row) {
      return row.command && row.command->id == command;
    };
    if (!take_from_palette(ctx, panel.title, goes)) return false;
    ctx->Yield(4);
  }
  const auto is_there = [&] {
    return keyboard_mode() && ImGui::GetCurrentContext()->NavWindow == window_of(panel);
  };
  for (int i = 0; i < kMostPanels && !is_there(); ++i) {
    ctx->KeyPress(ImGuiKey_F6);
    ctx->Yield(2);
  }
  return is_there();
}

bool go_to_item(ImGuiTestContext* ctx, const Panel& panel, const char* label,
                const ImGuiWindow* window) {
  if (!go_to_panel(ctx, panel)) {
    ctx->LogError("F6 does not lead to %s", panel.title);
    return false;
  }
  if (!window) window = window_of(panel);
  const ImGuiID item = ImHashStr(label, 0, window->ID);
  for (int i = 0; i < kMostTabs && ImGui::GetCurrentContext()->NavId != item; ++i) {
    ctx->KeyPress(is_before(window) ? ImGuiKey_Enter : ImGuiKey_Tab);
    ctx->Yield(2);
  }
  const bool there = ImGui::GetCurrentContext()->NavId == item;
  if (!there) ctx->LogError("Tab does not lead to %s in %s", label, panel.title);
  return there;
}

bool press_item(ImGuiTestContext* ctx, const Panel& panel, const char* label,
                const ImGuiWindow* window) {
  if (!go_to_item(ctx, panel, label, window)) return false;
  ctx->KeyPress(ImGuiKey_Space);
  ctx->Yield(4);
  return true;
}

bool pick_in_picture(ImGuiTestContext* ctx, const Panel& panel,
                     const std::function<bool(const viz::Pick&)>& wanted) {
  const std::string picture = std::string(panel.id) + "_scene";
  if (!go_to_item(ctx, panel, picture.c_str())) return false;
  ctx->Yield(2);
  const viz::Scene* scene = widgets::shown_scene(picture);
  const auto from = widgets::picture_cursor_at(ImGui::GetCurrentContext()->NavId);
  const auto keys = scene && from ? way_to(*scene, *from, wanted) : std::nullopt;
  if (!keys) {
    ctx->LogError("no arrows lead to it in %s", picture.c_str());
    return false;
  }
  for (const ImGuiKey key : *keys) {
    ctx->KeyPress(key);
    ctx->Yield();
  }
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(3);
  return true;
}

void end_keyboard_mode(ImGuiTestContext* ctx) {
  for (int i = 0; i < 6 && keyboard_mode(); ++i) {
    ctx->KeyPress(ImGuiKey_Escape);
    ctx->Yield(2);
  }
}

}  // namespace tilescope::ui_test
