// A trace on its axis: viz::TimelineIndex says where each event stands; this adds the k slices as
// stretches to step and loop over. Inside an epoch, instructions that were not recorded are left
// out.
#pragma once
#include <memory>
#include <vector>

#include "viz/scene/timeline/timeline_scene.h"
#include "worker/messages/messages.h"

namespace tilescope {

/// The same kind, in the words of viz.
viz::EventKind picture_kind(worker::TraceEvent::Kind kind);

class Timeline {
 public:
  struct Slice {  // columns in which one k slice is multiplied
    int k_step = 0;
    int begin = 0, end = 0;
  };
  /// What fills, awaits or reads a stage of shared memory, by column.
  struct StageEvent {
    enum class Kind : uint8_t { fill, wait, read } kind{};
    int column = 0, columns = 1;  // what filled a stage before a stretch stands at its beginning
    bool recorded = true;         // false: of TraceResult::lead
    int warp = 0;
    int k_step = -1, stage = -1;      // k_step −1 of a fill: zeros alone, beyond the matrix
    int count = 1;                    // warp instructions
    int group = -1, groups_done = 0;  // as TraceEvent has them
  };
  struct Placed {
    int event = 0;    // into TraceResult::events
    int column = 0;   // of its first warp instruction
    int columns = 1;  // warp instructions in the fold
  };

  explicit Timeline(const worker::TraceResult& trace);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  const viz::TimelineIndex& index() const { return index_; }
  const std::vector<Slice>& slices() const { return slices_; }
  const std::vector<StageEvent>& stage_events() const { return stage_events_; }
  int columns() const { return static_cast<int>(index_.length()); }
  int warps() const { return index_.warps(); }
  /// One behind the last k slice of the work item.
  int k_end() const { return k_end_; }
  /// The event of a warp at or before a column; nullopt: none yet.
  std::optional<Placed> placed_at(int warp, int column) const;
  Placed placed(int event) const;
  /// Slice that a column lies in; −1 = prologue, epilogue or a gap.
  int k_step_at(int column) const;
  /// The slice whose multiplication began last at a column; −1 before the first.
  int last_k_step(int column) const { return index_.k_slice_at(column); }
  /// A column outside the gaps between recorded epochs, moved on in the direction of `by`.
  int outside_gaps(int column, int by) const;

 private:
  void place_stage_events(const worker::TraceResult& trace);

  std::vector<viz::TimelineEvent> events_;
  viz::TimelineIndex index_;
  std::vector<Slice> slices_;
  std::vector<StageEvent> stage_events_;
  int k_end_ = 0;
};

}  // namespace tilescope
