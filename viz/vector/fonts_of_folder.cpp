#include "viz/vector/fonts_of_folder.h"

#include <fontconfig/fontconfig.h>

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
  // Where there are none, pictures have the system's.
  FcConfigAppFontAddDir(nullptr, reinterpret_cast<const FcChar8*>(folder.c_str()));
}

}  // namespace tilescope::viz
