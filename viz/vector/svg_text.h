// A scene as SVG without a library. For the page; elsewhere cairo draws it with the fonts'
// outlines.
#pragma once
#include <string>

#include "viz/vector/glyph_outlines.h"
#include "viz/vector/vector.h"

namespace tilescope::viz {

/// A whole document. Equal scenes give equal text. Without `glyphs` text stays text, which whoever
/// opens it draws with Inter and JetBrains Mono if they are there.
std::string svg_text(const Scene& scene, const ExportOptions& options,
                     const GlyphOutlines* glyphs = nullptr);

}  // namespace tilescope::viz
