#include "app/shell/folders.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace tilescope {
namespace fs = std::filesystem;

fs::path session_folder() {
  const char* xdg = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (xdg && *xdg) {
    folder = fs::path(xdg) / "tilescope";
  } else if (home && *home) {
    folder = fs::path(home) / ".config" / "tilescope";
  } else {
    return {};
  }
  std::error_code error;
  fs::create_directories(folder, error);
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

bool write_file_atomically(const fs::path& path, const std::string& bytes) {
  const std::string temporary = path.string() + ".tmp-" + std::to_string(::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return false;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written <= 0) break;
    rest.remove_prefix(static_cast<size_t>(written));
  }
  const bool whole = rest.empty() && ::fsync(file) == 0;
  ::close(file);
  if (!whole || ::rename(temporary.c_str(), path.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return false;
  }
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (const int folder = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  return true;
}

}  // namespace tilescope
