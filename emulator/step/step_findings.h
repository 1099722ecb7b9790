// What the checks say of a stepped launch, as far as a place has come.
#pragma once
#include "emulator/step/journey.h"
#include "emulator/stepper.h"

namespace tilescope::emulator {

/// Those of a checked run that the present place has passed.
StepFindings findings_at(const Journey& journey, const RunResult& checked);

}  // namespace tilescope::emulator
