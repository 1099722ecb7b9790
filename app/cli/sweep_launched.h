// sweep --launch: this process measures its share beside others.
#pragma once
#include <vector>

#include "app/cli/launcher.h"
#include "app/cli/sweep_ranks.h"
#include "app/cli/sweep_run.h"

namespace tilescope::cli {

/// Throws CliError (exit code 2) if they cannot work together.
SweepRanks join_ranks(const SweepOptions& options, const std::vector<Request>& requests,
                      const Rank& rank);

/// Exit code 0 of all ranks but the last to end, which reports for all: a launcher may end the
/// others when one fails. Throws CliError as any command does.
int run_launched(const SweepOptions& options, const Globals& globals,
                 const std::vector<Request>& requests, const Rank& rank, SweepRanks& ranks);

}  // namespace tilescope::cli
