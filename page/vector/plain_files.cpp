// vector.h without cairo, for the page. A PNG is written as an SVG that needs no fonts: the browser
// makes pixels of it (page/site/exports.js).
#include "page/vector/font_outlines.h"
#include "viz/vector/pdf_text.h"
#include "viz/vector/svg_text.h"

namespace tilescope::viz {
namespace {

const GlyphOutlines& glyphs() {
  static const web::FontOutlines fonts("/assets/fonts");
  return fonts;
}

}  // namespace

struct CairoMeasure::State {};
CairoMeasure::CairoMeasure() : state_(nullptr) {}
CairoMeasure::~CairoMeasure() { delete state_; }
float CairoMeasure::width(std::string_view text, float size, Weight weight) const {
  return glyphs().width(text, size, weight);
}

std::string render(const Scene& scene, FileKind kind, const ExportOptions& options) {
  switch (kind) {
    case FileKind::svg:
      return svg_text(scene, options);
    case FileKind::pdf:
      return pdf_text(scene, options, glyphs());
    case FileKind::png:
      return svg_text(scene, options, &glyphs());
  }
  return {};
}

}  // namespace tilescope::viz
