// Tiles worth starting from: the notes' sets and those of well-known kernels (assets/presets).
#pragma once
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

struct Preset {
  std::string name;    // what it is for
  std::string source;  // where it comes from, for the tooltip
  Edit edit;
};

/// Its name, and the kernel it would switch to: "To see bank conflicts: … → 11 mma_multistage".
std::string preset_label(const Preset& preset, const std::string& present_kernel);
/// All that it sets, and where it comes from.
std::string preset_words(const Preset& preset);

/// As embedded when this binary was built; those whose kernel is not in the ladder are left out.
const std::vector<Preset>& presets();

}  // namespace tilescope
