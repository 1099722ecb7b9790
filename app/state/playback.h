// The playhead: playing, stepping, scrubbing; and what it means for the picture.
#pragma once
#include <vector>

#include "app/state/app_state.h"
#include "app/state/stages.h"

namespace tilescope {

void play_or_pause(AppState& state);
/// Moves by warp instructions of the timeline.
void step_events(AppState& state, int by);
/// Moves to the beginning of the next or previous k step.
void step_k(AppState& state, int by);
void scrub(AppState& state, int column);
/// k slices of the tile; of a kernel without a plan iterations of its main loop, 0 without a trace.
int slices_in_all(const AppState& state);
/// Chooses a k slice: if the trace does not hold it, `playhead.k_step` asks for a new one.
void choose_k_step(AppState& state, int k_step);
/// The columns that a playing playhead runs through: the trace, or the k slice that loops. Empty
/// without a trace.
struct PlayedColumns {
  int begin = 0, end = 0;
};
PlayedColumns played_columns(const AppState& state);
/// Advances a playing playhead by a frame's seconds.
void advance(AppState& state, double seconds);
/// Column inside the chosen k step after a new trace has come.
void settle_playhead(AppState& state);

/// What the playhead says to Tiling, Fragment and Source.
struct Moment {
  bool any = false;          // a trace is there
  int k_slice = -1;          // being multiplied, or the last that was
  int k_step_in_slice = -1;  // mma_k of the selected warp
  int event = -1;            // of the selected warp
  int event_offset = 0;      // warp instruction inside a fold
  const worker::TraceEvent* present = nullptr;
  const worker::RawAccess* raw = nullptr;
  int mma_m = -1, mma_n = -1;  // of the selected warp, while its event is an mma
  int source_line = 0, ptx_line = 0;
  std::vector<viz::StageState> stages;
};
Moment moment_of(const AppState& state);

}  // namespace tilescope
