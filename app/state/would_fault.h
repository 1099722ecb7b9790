// Whether a launch on a card would end with a fault, or never: then it is shown without one.
#pragma once
#include "app/state/app_state.h"

namespace tilescope {

/// By what the checks found in the emulator.
bool would_fault(const Results& results);

}  // namespace tilescope
