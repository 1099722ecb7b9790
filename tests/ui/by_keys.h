// The window by keyboard events alone: the palette, a panel's items, things in pictures.
#pragma once
#include <functional>
#include <string>

#include "app/shell/palette_rows.h"
#include "tests/ui/ui_test.h"
#include "viz/scene/scene.h"

struct ImGuiWindow;

namespace tilescope::ui_test {

/// Types into the palette, goes down to the first row that is `wanted` (none said: the first of
/// all), and takes it by Enter. False, and the palette is closed again: there is no such row.
bool take_from_palette(ImGuiTestContext* ctx, const std::string& typed,
                       const std::function<bool(const PaletteRow&)>& wanted = {});

/// The panel itself has the focus: by the palette where another tab hides it, and by F6.
bool go_to_panel(ImGuiTestContext* ctx, const Panel& panel);

/// Tab until the item has the focus; a child window on the way is entered. `window`: the panel's or
/// a child of it, null for its own. `label`: what the item is known by, without a translation.
bool go_to_item(ImGuiTestContext* ctx, const Panel& panel, const char* label,
                const ImGuiWindow* window = nullptr);
/// The same, then Space.
bool press_item(ImGuiTestContext* ctx, const Panel& panel, const char* label,
                const ImGuiWindow* window = nullptr);

/// By arrows in the panel's picture to a thing that is `wanted`, then Enter.
bool pick_in_picture(ImGuiTestContext* ctx, const Panel& panel,
                     const std::function<bool(const viz::Pick&)>& wanted);

/// Escape until shortcuts are the commands' again.
void end_keyboard_mode(ImGuiTestContext* ctx);

}  // namespace tilescope::ui_test
