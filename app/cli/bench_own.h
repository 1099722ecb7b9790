// bench --cu and --ptx: one launch of somebody's own, verified and counted, and timed on a card.
#pragma once
#include "app/cli/bench_run.h"
#include "app/cli/own_flags.h"

namespace tilescope::cli {

/// An element of bench --json: what only a kernel of the ladder has is null. Throws (exit code 2)
/// for a device other than the emulator and this machine's cards.
BenchResult bench_own(const OwnFlags& flags, const RequestOptions& problem,
                      const MeasureFlags& measure);

/// One line for people.
std::string bench_own_text(const Json& result);

}  // namespace tilescope::cli
