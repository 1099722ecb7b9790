#include "app/shell/folders.h"

#include <cstdlib>
#include <system_error>

#include "app/common/config_folder.h"

namespace tilescope {
namespace fs = std::filesystem;

fs::path session_folder() {
  const fs::path folder = config_folder();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  return error ? fs::path{} : folder;
}

fs::path program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path(".") : program.parent_path();
}

fs::path assets_folder() {
  if (const char* given = std::getenv("TILESCOPE_ASSETS"); given && *given) return given;
  const fs::path here = program_folder();
  for (const char* candidate : {"assets", "../assets", "../share/tilescope/assets"}) {
    std::error_code error;
    if (fs::is_directory(here / candidate / "fonts", error)) return here / candidate;
  }
  return here / "../assets";
}

}  // namespace tilescope
