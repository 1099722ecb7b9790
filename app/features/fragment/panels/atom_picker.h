// The instruction that the Fragment panel shows: a combo with a search field over all of them.
#pragma once
#include <string>

#include "app/panel.h"
#include "core/instructions/instructions.h"

namespace tilescope::widgets {

/// `own`: the kernel's instruction, nullptr if it has none (a SIMT kernel). `shown`: chosen instead
/// of it, nullptr if not. True when the choice changed; `*chosen` is then the name in PTX, empty
/// for the kernel's own.
bool atom_picker(AppContext& context, const model::Instruction* own,
                 const model::Instruction* shown, float width, std::string* chosen);

}  // namespace tilescope::widgets
