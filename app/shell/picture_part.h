// Forms of the File menu: below the menu bar, in the middle; and what a picture or a film is of,
// the window or one of its panels.
#pragma once
#include "app/panel.h"
#include "app/shell/headless.h"

namespace tilescope {

/// True while the popup of this name is open: then ImGui::EndPopup() ends it.
bool begin_form(const AppContext& context, const char* name);

/// A combo of the window and the panels that are shown. True: another one was chosen.
bool choose_part(const AppContext& context, const Panel** panel);

/// Where it stands among the screen's pixels now; null: all of the window. Empty: it is not shown.
ScreenPart pixels_of(const Panel* panel);

/// "tilescope.png", "tiling.webp": the name of a file of it.
std::string file_name_of(const Panel* panel, const std::string& ending);

}  // namespace tilescope
