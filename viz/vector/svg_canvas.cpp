// vector.h without cairo, for the page: SVG alone, and text as wide as it usually is.
#include "core/files/whole_file.h"
#include "viz/vector/svg_text.h"

namespace tilescope::viz {

struct CairoMeasure::State {};
CairoMeasure::CairoMeasure() : state_(nullptr) {}
CairoMeasure::~CairoMeasure() = default;
float CairoMeasure::width(std::string_view text, float size, Weight weight) const {
  return FixedMeasure(0.56f).width(text, size, weight);
}

std::string render(const Scene& scene, FileKind kind, const ExportOptions& options) {
  return kind == FileKind::svg ? svg_text(scene, options) : std::string();
}

bool write_file(const Scene& scene, FileKind kind, const std::string& path,
                const ExportOptions& options, std::string* error) {
  if (kind != FileKind::svg) {
    *error = path + ": a browser writes .svg; PDF and PNG are the desktop program's";
    return false;
  }
  *error = files::replace_file(path, svg_text(scene, options));
  return error->empty();
}
bool write_file(const Scene& scene, const std::string& path, const ExportOptions& options,
                std::string* error) {
  const bool svg = path.ends_with(".svg");
  return write_file(scene, svg ? FileKind::svg : FileKind::pdf, path, options, error);
}

}  // namespace tilescope::viz
