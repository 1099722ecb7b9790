#include "viz/vector/fonts_of_folder.h"

#include <fontconfig/fontconfig.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tilescope::viz {
namespace {

std::string& waiting() {
  static std::string folder;
  return folder;
}

}  // namespace

void use_fonts_of(std::string folder) { waiting() = std::move(folder); }

void add_fonts() {
  const std::string folder = std::exchange(waiting(), {});
  if (folder.empty()) return;
  // A system without any fonts has no description of them, and fontconfig would complain of that.
  std::error_code none;
  const bool described =
      std::getenv("FONTCONFIG_FILE") || std::filesystem::exists("/etc/fonts/fonts.conf", none);
  if (!described) FcConfigSetCurrent(FcConfigCreate());
  // Where there are none in the folder, pictures have the system's.
  FcConfigAppFontAddDir(nullptr, reinterpret_cast<const FcChar8*>(folder.c_str()));
}

}  // namespace tilescope::viz
