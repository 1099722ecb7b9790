#include "core/files/cache_folder.h"

#include <cstdlib>

namespace tilescope::files {

std::string cache_folder() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (xdg && *xdg) return std::string(xdg) + "/tilescope";
  if (home && *home) return std::string(home) + "/.cache/tilescope";
  return {};
}

}  // namespace tilescope::files
