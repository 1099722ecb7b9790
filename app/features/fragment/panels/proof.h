// "Prove it": the badge of the last proof of an instruction's map, and the button that runs one.
#pragma once
#include "app/panel.h"
#include "core/instructions/instructions.h"

namespace tilescope::widgets {

/// Width that prove_it() takes at most, in pixels of the screen.
float proof_width(const AppContext& context);
void prove_it(AppContext& context, const model::Instruction& instruction);

}  // namespace tilescope::widgets
