// What a sweep measures, and how far it is: plain functions, without the worker.
#pragma once
#include <string>
#include <vector>

#include "app/features/tune/tune.h"

namespace tilescope {

/// The tiles of some axes, everything else as now: those that can run and are not known as measured
/// with the kernel as it is. Nearest to the present tile first.
Sweep plan_sweep(const AppState& state, const std::vector<TileFieldId>& axes);

/// Why nothing could be swept now, in one sentence; empty: it could.
std::string sweep_blocker(const AppState& state, const Sweep& plan);

/// A sweep is of a kernel, a problem and a device: what has changed of them ends it, in a sentence.
std::string sweep_outdated(const AppState& state, const Sweep& sweep);

struct SweepProgress {
  int done = 0, failed = 0, all = 0;
  double seconds_left = 0;  // 0: not known yet
};
SweepProgress progress_of(const Sweep& sweep);
/// "132 of 212 tiles, 40 s left".
std::string progress_text(const Sweep& sweep);
/// What came of one that went to its end.
std::string summary_of(const Sweep& sweep);

}  // namespace tilescope
