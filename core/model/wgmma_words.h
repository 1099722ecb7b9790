// How the layouts of wgmma's operands in shared memory are called.
#pragma once
#include <string>

#include "core/layout/wgmma_shared.h"

namespace tilescope::model {

/// "K-major, 128B swizzle"; "MN-major, no swizzle".
std::string wgmma_layout_words(WgmmaLayout layout);

}  // namespace tilescope::model
