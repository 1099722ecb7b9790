// Scenes as SVG without a library: for the page, where text is measured and drawn by the browser.
#include "viz/vector/vector.h"

namespace tilescope::viz {

struct CairoMeasure::State {};
CairoMeasure::CairoMeasure() : state_(nullptr) {}
CairoMeasure::~CairoMeasure() = default;
float CairoMeasure::width(std::string_view text, float size, Weight weight) const {
  return FixedMeasure().width(text, size, weight);
}

std::string render(const Scene&, FileKind, const ExportOptions&) { return {}; }
bool write_file(const Scene&, FileKind, const std::string&, const ExportOptions&,
                std::string* error) {
  if (error != nullptr) *error = "A page does not export pictures yet; the desktop program does";
  return false;
}
bool write_file(const Scene& scene, const std::string& path, const ExportOptions& options,
                std::string* error) {
  return write_file(scene, FileKind::svg, path, options, error);
}

}  // namespace tilescope::viz
