// Which positions of the sliders a page has compiled code for.
#pragma once
#include <string>
#include <vector>

#include "worker/messages/messages.h"

namespace tilescope::web {

enum class Extent {
  defaults,  // each kernel's first tile, in each layout
  sliders,   // and each slider by itself from there, in the kernel's own layout; presets
  whole,     // and each slider in every layout, ragged edges, and all that was recorded
};

/// Legal ones on the default device; equal sources may be among them. `presets`: the text of
/// assets/presets; `recordings`: folders.
std::vector<worker::KernelRequest> chosen_requests(Extent extent, const std::string& presets,
                                                   const std::vector<std::string>& recordings);

}  // namespace tilescope::web
