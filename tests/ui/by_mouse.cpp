#include "tests/ui/by_mouse.h"

#include <algorithm>
#include <optional>

#include "app/kit/scene_view.h"
#include "app/state/code_link.h"
#include "tests/ui/seen_windows.h"

namespace tilescope::ui_test {
namespace {

constexpr int kMostTurns = 200;  // of the wheel

/// The wheel, over what scrolls, until all of an item is seen. ImGui's test engine does the same,
/// but not of what lies in a window inside the one that scrolls.
bool wheel_to_item(ImGuiTestContext* ctx, ImGuiID item) {
  for (int i = 0; i < kMostTurns; ++i) {
    const ImGuiTestItemInfo info = ctx->ItemInfo(item);
    if (info.ID == 0) return false;
    const ImGuiWindow* scrolls = info.Window;
    while (scrolls->ScrollMax.y <= 0 && scrolls->ChildId != 0 && scrolls->ParentWindow) {
      scrolls = scrolls->ParentWindow;
    }
    const ImRect seen = scrolls->InnerRect;
    const bool above = info.RectFull.Min.y < seen.Min.y;
    const bool below = info.RectFull.Max.y > seen.Max.y;
    if (scrolls->ScrollMax.y <= 0 || (!above && !below)) return true;
    ctx->MouseMoveToPos(seen.GetCenter());
    ctx->MouseWheelY(above ? 1 : -1);
    ctx->Yield(2);
  }
  return false;
}

/// The line of Source that the pointer is on at this height.
int line_at(ImGuiTestContext* ctx, ImVec2 at) {
  ctx->MouseMoveToPos(at);
  ctx->Yield(2);
  return state().hover_before.code.line;
}

}  // namespace

void click_in_menu(ImGuiTestContext* ctx, const std::string& path) {
  ctx->SetRef("##MainMenuBar");
  ctx->MenuClick(path.c_str());
  ctx->Yield(4);
}

bool click_panel(ImGuiTestContext* ctx, const Panel& panel) {
  const ImGuiWindow* window = window_of(panel);
  if (is_seen(window)) return true;
  if (window && window->WasActive && window->DockIsActive) {  // behind another tab
    ctx->MouseMoveToPos(window->DC.DockTabItemRect.GetCenter());
    ctx->MouseClick();
  } else {
    click_in_menu(ctx, std::string("View/Panels/Panel: ") + panel.title);
  }
  ctx->Yield(6);
  if (is_seen(window_of(panel))) return true;
  ctx->LogError("no click shows %s", panel.title);
  return false;
}

bool click_item(ImGuiTestContext* ctx, const Panel& panel, const char* label,
                const ImGuiWindow* window) {
  if (!click_panel(ctx, panel)) return false;
  if (!window) window = window_of(panel);
  const ImGuiID item = ImHashStr(label, 0, window->ID);
  if (!wheel_to_item(ctx, item)) {
    ctx->LogError("%s is not to be seen in %s", label, panel.title);
    return false;
  }
  ctx->ItemClick(item);
  ctx->Yield(4);
  return true;
}

bool point_in_picture(ImGuiTestContext* ctx, const Panel& panel,
                      const std::function<bool(const viz::Pick&)>& wanted) {
  const std::string picture = std::string(panel.id) + "_scene";
  const viz::Scene* scene = widgets::shown_scene(picture);
  const ImGuiWindow* window = window_of(panel);
  const ImVec2 corner = widgets::shown_at(picture);
  const float s = shell().context.scale;
  for (float y = 2; scene && window && y < scene->size.h; y += 3) {
    for (float x = 2; x < scene->size.w; x += 3) {
      const std::optional<viz::Pick> pick = viz::pick(*scene, x, y);
      const ImVec2 at{corner.x + x * s, corner.y + y * s};
      if (!pick || !wanted(*pick) || !window->InnerRect.Contains(at)) continue;
      ctx->MouseMoveToPos(at);
      ctx->Yield(2);
      return true;
    }
  }
  ctx->LogWarning("it is not to be seen in %s", picture.c_str());
  return false;
}

bool click_in_picture(ImGuiTestContext* ctx, const Panel& panel,
                      const std::function<bool(const viz::Pick&)>& wanted) {
  if (!click_panel(ctx, panel)) return false;
  ctx->Yield(2);
  if (!point_in_picture(ctx, panel, wanted)) return false;
  ctx->MouseClick();
  ctx->Yield(3);
  return true;
}

bool click_line(ImGuiTestContext* ctx, int line) {
  if (!click_panel(ctx, *find_panel("source"))) return false;
  constexpr const char* kKernelTab = "//##header_source/source_tab/kernel";
  if (ctx->ItemExists(kKernelTab)) ctx->ItemClick(kKernelTab);
  ctx->Yield(4);
  for (int i = 0; i < kMostTurns; ++i) {
    const ImGuiWindow* text = seen_child("##kernel_source");
    if (!text) break;
    // Right of the margin, whose clicks are others.
    const float x = text->InnerRect.Min.x + 0.6f * text->InnerRect.GetWidth();
    float top = text->InnerRect.Min.y + 4, bottom = text->InnerRect.Max.y - 4;
    const int first = line_at(ctx, {x, top}), last = line_at(ctx, {x, bottom});
    if (line < first || line > last) {
      ctx->MouseWheelY(line < first ? 1 : -1);
      ctx->Yield(2);
      continue;
    }
    while (bottom - top > 1) {  // lines are alike in height
      const float middle = (top + bottom) / 2;
      const int there = line_at(ctx, {x, middle});
      if (there == line) {
        ctx->MouseClick();
        ctx->Yield(3);
        return linked_code(state()).line == line;
      }
      (there < line ? top : bottom) = middle;
    }
    break;  // half seen, at an edge
  }
  ctx->LogError("no line %d is to be clicked in Source", line);
  return false;
}

bool drag_slider(ImGuiTestContext* ctx, const std::string& item, int wanted,
                 const std::function<int()>& now) {
  ctx->MouseMove(item.c_str());
  const ImRect row = ctx->ItemInfo(item.c_str()).RectFull;
  ImVec2 at = row.GetCenter();
  ctx->MouseDown();
  ctx->Yield(2);
  // At most there and back: a value narrower than a step would be passed for ever.
  for (float way = 2 * row.GetWidth(); way > 0 && now() != wanted; way -= 2) {
    if (at.x <= row.Min.x || at.x >= row.Max.x || ctx->Abort) break;
    at.x += now() < wanted ? 2.0f : -2.0f;
    ctx->MouseMoveToPos(at);
  }
  ctx->MouseUp();
  ctx->Yield(3);
  if (now() == wanted) return true;
  ctx->LogError("%s does not come to %d", item.c_str(), wanted);
  return false;
}

}  // namespace tilescope::ui_test
