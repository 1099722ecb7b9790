// A scene as a PDF of one page without a library, its text as outlines. For the page, where cairo
// would be as large as all the rest; elsewhere cairo draws it.
#pragma once
#include <string>

#include "viz/vector/glyph_outlines.h"
#include "viz/vector/vector.h"

namespace tilescope::viz {

/// A whole document: PDF 1.4, a point for each pixel at scale 1. Equal scenes give equal bytes.
std::string pdf_text(const Scene& scene, const ExportOptions& options, const GlyphOutlines& glyphs);

}  // namespace tilescope::viz
