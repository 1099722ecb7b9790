// Where each event of a trace stands on the timeline: x is the event's index inside its barrier
// epoch, epochs aligned over the warps, parts that were not recorded left out.
#pragma once
#include <vector>

#include "worker/messages.h"

namespace tilescope {

struct TimelineIndex {
  struct Placed {
    int event = 0;        // into TraceResult::events
    int column = 0;       // of its first warp instruction
    int columns = 1;      // = count
  };
  struct Slice {          // columns in which one k slice is worked on
    int k_step = 0;
    int begin = 0, end = 0;
  };
  std::vector<std::vector<Placed>> warps;   // by column
  std::vector<int> epoch_begin;             // first column of each recorded epoch, ascending
  std::vector<Slice> slices;                // by first column
  int columns = 0;

  /// The event of a warp at or before a column, -1 = none yet.
  int event_at(int warp, int column) const;
  const Placed* placed_at(int warp, int column) const;
  /// Slice that a column lies in; -1 = prologue or epilogue.
  int k_step_at(int column) const;
};

TimelineIndex make_timeline_index(const worker::TraceResult& trace);

}  // namespace tilescope
