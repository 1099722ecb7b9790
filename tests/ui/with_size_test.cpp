// Every panel in the size and scale that the window was started with: each layout, dark and light.
// Rectangles are compared, not pixels: within the window, apart from each other, large enough, and
// nothing in them wider than what shows it, unless it scrolls.
#include <imgui_internal.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "app/shell/layouts.h"
#include "core/language/language.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

std::string words(const ImRect& r) {
  char text[80];
  ImFormatString(text, sizeof text, "%.0f,%.0f to %.0f,%.0f", r.Min.x, r.Min.y, r.Max.x, r.Max.y);
  return text;
}

/// Panels whose tab is in front, by title.
std::map<std::string, const ImGuiWindow*> panels_in_front() {
  std::map<std::string, const ImGuiWindow*> found;
  for (const Panel* panel : all_panels()) {
    const ImGuiWindow* window = ImGui::FindWindowByName(panel->title);
    if (window && window->Active && window->DockNode && window->DockTabIsVisible)
      found[panel->title] = window;
  }
  return found;
}

/// What is wrong with the places of the panels.
std::vector<std::string> misplaced() {
  std::vector<std::string> wrong;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImRect all{viewport->Pos,
                   {viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y}};
  const float scale = shell().context.scale;
  // In a window of a few hundred points a panel cannot have more than its share.
  const float least_x = std::min(140 * scale, all.GetWidth() * 0.15f);
  const float least_y = std::min(90 * scale, all.GetHeight() * 0.12f);
  const auto panels = panels_in_front();
  for (auto one = panels.begin(); one != panels.end(); ++one) {
    const ImRect rect = one->second->DockNode->Rect();
    const std::string name = one->first + " at " + words(rect);
    if (!all.Contains(rect)) wrong.push_back(name + " leaves the window");
    if (rect.GetWidth() < least_x || rect.GetHeight() < least_y)
      wrong.push_back(name + " is a strip");
    for (auto other = std::next(one); other != panels.end(); ++other) {
      ImRect shared = other->second->DockNode->Rect();
      if (shared.Overlaps(rect)) wrong.push_back(name + " overlaps " + other->first);
    }
  }
  return wrong;
}

bool belongs_to_a_panel(const ImGuiWindow& window) {
  if (ImStrnicmp(window.Name, "##header_", 9) == 0) return true;
  const ImGuiWindow* root = window.RootWindow;
  return std::ranges::any_of(all_panels(),
                             [&](const Panel* p) { return ImHashStr(p->title) == root->ID; });
}

/// What is wider or higher than the window it is in, and cannot be scrolled to.
std::vector<std::string> cut() {
  constexpr float kRounding = 2;
  std::vector<std::string> wrong;
  for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows) {
    if (!w->Active || w->Hidden || w->SkipItems || !belongs_to_a_panel(*w)) continue;
    const ImRect room = w->WorkRect;
    const float wide = w->ContentSize.x - room.GetWidth();
    const float high = w->ContentSize.y - room.GetHeight();
    const bool x = wide > kRounding && !w->ScrollbarX;
    const bool y = high > kRounding && !w->ScrollbarY && !(w->Flags & ImGuiWindowFlags_NoScrollbar);
    if (!x && !y) continue;
    char text[160];
    ImFormatString(text, sizeof text, "%s: %.0fx%.0f in %.0fx%.0f", w->Name, w->ContentSize.x,
                   w->ContentSize.y, room.GetWidth(), room.GetHeight());
    wrong.push_back(text);
  }
  return wrong;
}

/// An answer that comes in just now may bring a scroll bar, which ImGui takes into account a frame
/// later: what is wrong is so twice.
bool fine(ImGuiTestContext* ctx, const std::string& where) {
  std::vector<std::string> place = misplaced(), text = cut();
  if (!place.empty() || !text.empty()) {
    ctx->Yield(3);
    place = misplaced(), text = cut();
  }
  for (const auto* all : {&place, &text}) {
    for (const std::string& wrong : *all) ctx->LogError("%s: %s", where.c_str(), wrong.c_str());
  }
  return place.empty() && text.empty();
}

bool each_panel_is_fine(ImGuiTestContext* ctx, const std::string& language) {
  bool all_fine = true;
  for (const LayoutName& layout : kLayouts) {
    run_command(ctx, (std::string("view.layout.") + layout.id).c_str());
    run_command(ctx, "view.reset_layout");
    ctx->Yield(8);
    for (const char* theme : {"light", "dark"}) {
      run_command(ctx, (std::string("view.theme.") + theme).c_str());
      const std::string where = language + ", " + layout.title + ", " + theme;
      all_fine = fine(ctx, where) && all_fine;
      for (const Panel* panel : all_panels()) {  // one after the other, where they share a dock
        const ImGuiWindow* window = ImGui::FindWindowByName(panel->title);
        const bool seen = window && window->Active && window->DockTabIsVisible;
        if (!is_home(layout.title, *panel) || seen) continue;
        show_panel(ctx, *panel);
        all_fine = fine(ctx, where + ", " + panel->title) && all_fine;
      }
    }
  }
  return all_fine;
}

UI_TEST("with_size", "each_panel_has_its_place_and_shows_all") {
  IM_CHECK(each_panel_is_fine(ctx, "en"));
}

// What is wider in another language has no room, if anywhere, in the smallest window that all is
// to fit in.
UI_TEST("with_size", "all_fits_in_each_language_too") {
  if (shell().context.scale != 1 || ImGui::GetMainViewport()->Size.x > 1280) return;
  for (const LanguageName& one : languages()) {
    if (one.id == "en") continue;
    run_command(ctx, ("view.language." + one.id).c_str());
    const bool all_fine = each_panel_is_fine(ctx, one.id);
    run_command(ctx, "view.language.en");
    IM_CHECK(all_fine);
  }
}

UI_TEST("with_size", "a_window_that_shrank_and_grew_is_as_before") {
  reset_layout(ctx);
  const ImVec2 size = ImGui::GetMainViewport()->Size;
  std::map<std::string, ImRect> before;
  for (const auto& [name, window] : panels_in_front()) before[name] = window->DockNode->Rect();
  bool all_fine = true;
  for (const ImVec2 other : {ImVec2(800, 600), ImVec2(2560, 1440), size}) {
    IM_CHECK(resized(ctx, static_cast<int>(other.x), static_cast<int>(other.y)));
    all_fine = fine(ctx, "resized to " + std::to_string(static_cast<int>(other.x))) && all_fine;
  }
  IM_CHECK(all_fine);
  const auto after = panels_in_front();
  IM_CHECK_EQ(after.size(), before.size());
  for (const auto& [name, rect] : before) {
    const ImRect now = after.at(name)->DockNode->Rect();
    const bool same = ImAbs(now.Min.x - rect.Min.x) < 4 && ImAbs(now.Min.y - rect.Min.y) < 4 &&
                      ImAbs(now.Max.x - rect.Max.x) < 4 && ImAbs(now.Max.y - rect.Max.y) < 4;
    if (!same)
      ctx->LogError("%s: %s, was %s", name.c_str(), words(now).c_str(), words(rect).c_str());
    IM_CHECK_SILENT(same);
  }
}

}  // namespace
}  // namespace tilescope::ui_test
