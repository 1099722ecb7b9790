// Scenes as files: SVG, PDF and PNG through cairo. Fonts by name: Inter and JetBrains Mono, the
// program's own (fonts_of_folder.h) or the system's, else what the system gives instead; what they
// lack, Chinese, in one that has it (font_runs.h).
#pragma once
#include <string>

#include "viz/scene/scene.h"

namespace tilescope::viz {

enum class FileKind { svg, pdf, png };

struct ExportOptions {
  float scale = 1;     // of PNG pixels, or of points in SVG and PDF
  bool ground = true;  // paint the panel's colour behind it
};

/// Measures as the files will be drawn.
class CairoMeasure : public TextMeasure {
 public:
  CairoMeasure();
  ~CairoMeasure() override;
  CairoMeasure(const CairoMeasure&) = delete;
  CairoMeasure& operator=(const CairoMeasure&) = delete;
  float width(std::string_view text, float size, Weight weight) const override;

 private:
  struct State;
  State* state_;
};

/// False: `error` says why.
bool write_file(const Scene& scene, FileKind kind, const std::string& path,
                const ExportOptions& options, std::string* error);
/// By the ending of the path: .svg, .pdf or .png.
bool write_file(const Scene& scene, const std::string& path, const ExportOptions& options,
                std::string* error);
/// The bytes of the file; empty on failure.
std::string render(const Scene& scene, FileKind kind, const ExportOptions& options);

}  // namespace tilescope::viz
