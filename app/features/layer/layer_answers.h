// Layers of well-known networks by name, for the palette: `qwen`, `llama mlp up`.
#pragma once
#include "app/state/answer.h"

namespace tilescope {

std::vector<Answer> layer_answers(const AppState& state, std::string_view typed);

}  // namespace tilescope
