// Folds a trace: like events that follow each other in a warp become one, "mma ×32".
#pragma once
#include <functional>
#include <vector>

#include "worker/engine/trace/trace_event.h"

namespace tilescope::worker {

/// Fills `events` and, if `with_raw`, `raw` of the result from the shown events, sorted by epoch,
/// warp and index. Events fold if they follow one another in a warp and agree in kind, source line,
/// lanes, matrix, k slice, stage and, for mma, in their k step within the slice.
void fold_events(std::vector<DataEvent> shown, const EventFollower& follower,
                 const emulator::Trace& trace, const std::function<int(int ptx_line)>& kernel_line,
                 bool with_raw, TraceResult& result);

}  // namespace tilescope::worker
