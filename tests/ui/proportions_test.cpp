// Where the panels are: in every size and scale each gets its share, and a closed one's goes to its
// neighbours.
#include <hello_imgui/hello_imgui.h>
#include <imgui_internal.h>

#include <map>
#include <string>

#include "app/shell/layouts.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// The docks that a layout's splits make of a window, as shares of it.
std::map<std::string, ImRect> docks_of(const std::string& layout, float width, float height) {
  std::map<std::string, ImRect> docks = {{"MainDockSpace", {0, 0, 1, 1}}};
  for (const HelloImGui::DockingSplit& split : splits_for(layout, width, height)) {
    ImRect& from = docks.at(split.initialDock);
    ImRect cut = from;
    if (split.direction == ImGuiDir_Right) {
      cut.Min.x = from.Max.x = from.Max.x - from.GetWidth() * split.ratio;
    } else if (split.direction == ImGuiDir_Left) {
      cut.Max.x = from.Min.x = from.Min.x + from.GetWidth() * split.ratio;
    } else {
      cut.Min.y = from.Max.y = from.Max.y - from.GetHeight() * split.ratio;
    }
    docks[split.newDock] = cut;
  }
  return docks;
}

UI_TEST("proportions", "no_dock_is_a_strip_at_any_scale") {
  for (const LayoutName& layout : kLayouts) {
    for (float scale : {1.0f, 1.25f, 1.5f, 2.0f}) {
      for (const ImVec2 size : {ImVec2(800, 600), ImVec2(1280, 800), ImVec2(2560, 1440)}) {
        for (const auto& [name, dock] : docks_of(layout.title, size.x / scale, size.y / scale)) {
          const bool wide = dock.GetWidth() > 0.1f || dock.GetWidth() * size.x / scale > 200;
          const bool fine = wide && dock.GetHeight() > 0.12f;
          if (!fine) {
            ctx->LogError("%s of %s, %gx%g at %g: %.2f x %.2f", name.c_str(), layout.title, size.x,
                          size.y, scale, dock.GetWidth(), dock.GetHeight());
          }
          IM_CHECK_SILENT(fine);
          if (name == "MainDockSpace") IM_CHECK_SILENT(dock.GetWidth() > 0.35f);
        }
      }
    }
  }
}

/// The panels' places, as shares of the window.
std::map<std::string, ImRect> panels_now() {
  std::map<std::string, ImRect> places;
  const ImVec2 all = ImGui::GetMainViewport()->Size;
  for (const Panel* panel : all_panels()) {
    const ImGuiWindow* window = ImGui::FindWindowByName(panel->title);
    if (!window || !window->Active || !window->DockNode) continue;
    const ImGuiDockNode& node = *window->DockNode;
    places[panel->title] = {node.Pos.x / all.x, node.Pos.y / all.y,
                            (node.Pos.x + node.Size.x) / all.x, (node.Pos.y + node.Size.y) / all.y};
  }
  return places;
}

UI_TEST("proportions", "a_resized_window_keeps_them") {
  reset_layout(ctx);
  const ImVec2 before = ImGui::GetMainViewport()->Size;
  const std::map<std::string, ImRect> first = panels_now();
  IM_CHECK_GE(first.size(), size_t{6});
  for (const auto& [width, height] : {std::pair{1560, 980},
                                      {800, 600},
                                      {static_cast<int>(before.x), static_cast<int>(before.y)}}) {
    IM_CHECK(resized(ctx, width, height));
    ctx->Yield(4);
    const std::map<std::string, ImRect> now = panels_now();
    IM_CHECK_EQ(now.size(), first.size());
    for (const auto& [name, place] : first) {
      const ImRect& moved = now.at(name);
      const float off =
          ImMax(ImMax(ImAbs(moved.Min.x - place.Min.x), ImAbs(moved.Max.x - place.Max.x)),
                ImMax(ImAbs(moved.Min.y - place.Min.y), ImAbs(moved.Max.y - place.Max.y)));
      // Menu and status bar keep their height.
      if (off > 0.04f)
        ctx->LogError("%s at %dx%d is off by %.3f", name.c_str(), width, height, off);
      IM_CHECK_SILENT(off <= 0.04f);
    }
    screenshot(ctx, ("resized_" + std::to_string(width)).c_str());
  }
}

UI_TEST("proportions", "a_closed_panel_leaves_its_place_to_its_neighbours") {
  reset_layout(ctx);
  const auto area_of = [](const std::map<std::string, ImRect>& places) {
    std::map<std::pair<float, float>, float> docks;  // tabs of one dock count once
    for (const auto& [name, place] : places) docks[{place.Min.x, place.Min.y}] = place.GetArea();
    float area = 0;
    for (const auto& [corner, size] : docks) area += size;
    return area;
  };
  const std::map<std::string, ImRect> all = panels_now();
  for (const Panel* panel : all_panels()) {
    if (!all.count(panel->title) || !is_home("Explore", *panel)) continue;
    reset_layout(ctx);
    run_command(ctx, (std::string("view.panel.") + panel->id).c_str());
    ctx->Yield(4);
    const std::map<std::string, ImRect> rest = panels_now();
    IM_CHECK_EQ(rest.count(panel->title), size_t{0});
    const float left = area_of(all) - area_of(rest);
    if (left > 0.02f) ctx->LogError("%s leaves a hole of %.3f", panel->id, left);
    IM_CHECK_SILENT(left <= 0.02f);
  }
  reset_layout(ctx);
  IM_CHECK_EQ(panels_now().size(), all.size());
}

}  // namespace
}  // namespace tilescope::ui_test
