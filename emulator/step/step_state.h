// What a stepped run shows at a place: plain data out of the runners.
#pragma once
#include "emulator/step/journey.h"
#include "emulator/step/live_registers.h"
#include "emulator/stepper.h"

namespace tilescope::emulator {

StepPlace place_of(const Journey& journey);
StepState state_of(const Journey& journey, const LiveRegisters& live, const StepParts& parts);

}  // namespace tilescope::emulator
