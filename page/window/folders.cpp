// Folders of the page's own memory: the session's is filled from the browser's storage before the
// window opens, and written back to it (page/site/session.js).
#include "app/shell/folders.h"

#include <system_error>

namespace tilescope {
namespace fs = std::filesystem;

fs::path session_folder() {
  std::error_code error;
  fs::create_directories("/session", error);
  return error ? fs::path{} : fs::path("/session");
}
fs::path program_folder() { return "/"; }
fs::path assets_folder() { return "/assets"; }

}  // namespace tilescope
