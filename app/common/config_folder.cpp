#include "app/common/config_folder.h"

#include <cstdlib>

namespace tilescope {

std::string config_folder() {
  const char* xdg = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (xdg && *xdg) return std::string(xdg) + "/tilescope";
  if (home && *home) return std::string(home) + "/.config/tilescope";
  return {};
}

std::string results_folder(const std::string& config) { return config + "/results"; }

}  // namespace tilescope
