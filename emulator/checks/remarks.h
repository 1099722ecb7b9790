// Remarks on speed, from the counts of a run: bank conflicts and uncoalesced accesses by line.
#pragma once
#include <memory>
#include <vector>

#include "emulator/machine/raw_counts.h"
#include "emulator/machine/run_state.h"

namespace tilescope::emulator {

/// Appends them, the costliest first. Lanes are those of an access pattern that was seen lately.
void add_remarks(const RunState& state, const std::vector<std::unique_ptr<Counters>>& counters,
                 std::vector<Finding>& findings);

}  // namespace tilescope::emulator
