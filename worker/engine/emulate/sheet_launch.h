// A launch sheet as a launch in the emulator.
#pragma once
#include "core/sheet/signature.h"
#include "worker/engine/emulate/emulated_launch.h"

namespace tilescope::worker {

/// What an entry's PTX and its mangled name say of it.
sheet::Signature signature_of(const emulator::EntryInfo& entry);

/// Of a request with a sheet. Fails like prepare_launch(), and with exit code 2 for a sheet that
/// does not fit the entry or names a file that does not fit its SPEC.
EmulatedLaunch prepare_sheet(const LaunchRequest& request,
                             emulator::Registers registers = emulator::Registers::packed);

}  // namespace tilescope::worker
