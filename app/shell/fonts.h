// Loads the window's fonts from the assets folder.
#pragma once
#include "app/panel.h"

namespace tilescope {

/// Of the assets' fonts, that with the glyphs of all translated texts (cmake/LanguageFont.cmake).
inline constexpr const char* kLanguageFont = "wqy-microhei-subset.ttf";

/// To be called where Hello ImGui asks for fonts. A missing file costs a line on stderr; what it
/// would have been is then ImGui's own font.
Fonts load_fonts();

/// kLanguageFont, where it has come after load_fonts(). Between frames.
void add_language_font(const Fonts& fonts);

}  // namespace tilescope
