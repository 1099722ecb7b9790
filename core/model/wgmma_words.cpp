#include "core/model/wgmma_words.h"

#include "core/model/names.h"

namespace tilescope::model {

std::string wgmma_layout_words(WgmmaLayout layout) {
  const std::string major = layout.k_major ? "K-major, " : "MN-major, ";
  if (layout.swizzle == Swizzle::none) return major + "no swizzle";
  return major + name_of(layout.swizzle) + " swizzle";
}

}  // namespace tilescope::model
