#include <optional>

#include "core/files/whole_file.h"
#include "viz/vector/vector.h"

namespace tilescope::viz {

bool write_file(const Scene& scene, FileKind kind, const std::string& path,
                const ExportOptions& options, std::string* error) {
  const std::string bytes = render(scene, kind, options);
  const std::string why_not =
      bytes.empty() ? "the picture could not be drawn" : files::replace_file(path, bytes);
  if (!why_not.empty() && error != nullptr) *error = why_not;
  return why_not.empty();
}

bool write_file(const Scene& scene, const std::string& path, const ExportOptions& options,
                std::string* error) {
  std::optional<FileKind> kind;
  if (path.ends_with(".svg")) kind = FileKind::svg;
  if (path.ends_with(".pdf")) kind = FileKind::pdf;
  if (path.ends_with(".png")) kind = FileKind::png;
  if (kind) return write_file(scene, *kind, path, options, error);
  if (error != nullptr) *error = path + ": the name must end in .svg, .pdf or .png";
  return false;
}

}  // namespace tilescope::viz
