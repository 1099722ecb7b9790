// A text in the runs that one font each has the glyphs of: the program's font of a weight, and of
// what that lacks one that has it, as the window's fonts are merged.
#pragma once
#include <cairo.h>

#include <functional>
#include <string>

#include "viz/scene/scene.h"

namespace tilescope::viz {

/// Calls `use` with each run, left to right, while its font is the context's.
void in_font_runs(cairo_t* cr, const std::string& text, Weight weight, float size,
                  const std::function<void(const char* run)>& use);

}  // namespace tilescope::viz
