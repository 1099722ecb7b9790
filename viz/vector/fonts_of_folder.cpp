#include <fontconfig/fontconfig.h>

#include "viz/vector/vector.h"

namespace tilescope::viz {

bool add_fonts(const std::string& folder) {
  const auto* name = reinterpret_cast<const FcChar8*>(folder.c_str());
  return FcConfigAppFontAddDir(nullptr, name) == FcTrue;
}

}  // namespace tilescope::viz
