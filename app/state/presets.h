// Tiles worth starting from: the notes' sets and those of well-known kernels (assets/presets).
#pragma once
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

struct Preset {
  std::string name;
  std::string source;  // where it comes from, for the tooltip
  Edit edit;
};

/// As embedded when this binary was built; those whose kernel is not in the ladder are left out.
const std::vector<Preset>& presets();

}  // namespace tilescope
