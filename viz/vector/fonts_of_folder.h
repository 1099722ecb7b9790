// Fonts that come with the program, beside the system's.
#pragma once
#include <string>

namespace tilescope::viz {

/// Pictures may have this folder's fonts, whether they are installed here or not. Costs nothing
/// before the first picture.
void use_fonts_of(std::string folder);

/// Makes them known, once; whoever draws calls it.
void add_fonts();

}  // namespace tilescope::viz
