#include "core/files/cache_folder.h"

#include <cstdlib>
#include <filesystem>

namespace tilescope::files {

std::string cache_folder() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (xdg && *xdg) return std::string(xdg) + "/tilescope";
  if (home && *home) return std::string(home) + "/.cache/tilescope";
  return {};
}

std::string temporary_folder() {
  std::error_code error;
  const std::filesystem::path named = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : named.string();
}

}  // namespace tilescope::files
