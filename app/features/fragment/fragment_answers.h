// Instructions by what they are called, for the palette: `wgmma 64x256`, `ldmatrix x4`, `m16n8k16`.
#pragma once
#include "app/state/answer.h"

namespace tilescope {

std::vector<Answer> fragment_answers(const AppState& state, std::string_view typed);

}  // namespace tilescope
