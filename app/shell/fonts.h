// Loads the window's fonts from the assets folder.
#pragma once
#include "app/panel.h"

namespace tilescope {

/// To be called where Hello ImGui asks for fonts. A missing file costs a line on stderr; what it
/// would have been is then ImGui's own font.
Fonts load_fonts();

}  // namespace tilescope
