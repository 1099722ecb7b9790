// What the palette can do to the edit: `stages 4`, `M 2048`, `block 128x256`, `swizzle off`, `TN`,
// presets.
#pragma once
#include "app/state/answer.h"

namespace tilescope {

std::vector<Answer> tile_answers(const AppState& state, std::string_view typed);

}  // namespace tilescope
