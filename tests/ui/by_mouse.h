// The window by mouse alone: a panel's tab, the menus, items, things in pictures, lines of Source,
// sliders.
#pragma once
#include <functional>
#include <string>

#include "tests/ui/ui_test.h"
#include "viz/scene/scene.h"

struct ImGuiWindow;

namespace tilescope::ui_test {

/// An item of the menu bar, "View/Theme/Theme: light", known by what stands there in English.
void click_in_menu(ImGuiTestContext* ctx, const std::string& path);

/// The panel is seen: its tab is clicked, or its row of View > Panels where it is not there.
bool click_panel(ImGuiTestContext* ctx, const Panel& panel);

/// `label`, `window`: as go_to_item() has them (by_keys.h). The wheel brings it into sight.
bool click_item(ImGuiTestContext* ctx, const Panel& panel, const char* label,
                const ImGuiWindow* window = nullptr);

/// The pointer goes to a thing that is `wanted` in the panel's picture, which is seen.
bool point_in_picture(ImGuiTestContext* ctx, const Panel& panel,
                      const std::function<bool(const viz::Pick&)>& wanted);
/// The same, then a click; the panel need not be seen before.
bool click_in_picture(ImGuiTestContext* ctx, const Panel& panel,
                      const std::function<bool(const viz::Pick&)>& wanted);

/// A line of the kernel's text in Source, which the wheel brings into sight.
bool click_line(ImGuiTestContext* ctx, int line);

/// Pressed, and dragged until `now` is what is wanted.
bool drag_slider(ImGuiTestContext* ctx, const std::string& item, int wanted,
                 const std::function<int()>& now);

}  // namespace tilescope::ui_test
