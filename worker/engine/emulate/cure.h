// Finds a change that cures a finding of the checks (a barrier, a wait). Each change that might do
// so is made to the PTX and the same checks are run on it; only one that is seen to help is told.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "emulator/emulator.h"

namespace tilescope::worker {

/// Runs the checks again, on memory as it was before the first run, of another text.
using RunAgain =
    std::function<emulator::RunResult(const std::string& ptx, uint64_t max_warp_instructions)>;

/// Limit of all runs together that try cures: some seconds. What would take longer is not tried.
inline constexpr uint64_t kMostTriedWarpInstructions = 50'000'000;

/// Adds to the sentences of `ran`, a checked run of `ptx`, the change after which the checks find
/// nothing at the finding's lines, and nothing that they had not found before; of several the one
/// that cures most. Without one a sentence stays as it is: what meets what.
void tell_cures(emulator::RunResult& ran, const emulator::Program& program, std::string_view ptx,
                const RunAgain& run_again);

}  // namespace tilescope::worker
