// The brush: the stretch of the run that is looked at, one for Timeline and Access.
//
// Its unit is the step of a warp (RawAccess::step, AccessRecord::step), which a trace and a list of
// accesses both know exactly: Timeline's axis has the events that were recorded, Access's bar the
// moments of accesses, and neither could say the other's places.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

/// Of each warp of a CTA a stretch of its steps, [from, to). Warps that are not there have none.
struct RunSpan {
  struct Steps {
    uint64_t from = 0, to = 0;
    bool has(uint64_t step) const { return step >= from && step < to; }
    bool empty() const { return from >= to; }
    bool operator==(const Steps&) const = default;
  };
  std::vector<Steps> warps;
  bool has(size_t warp, uint64_t step) const {
    return warp < warps.size() && warps[warp].has(step);
  }
  bool empty() const;
  /// The least stretch that has this one and the step.
  void add(size_t warp, uint64_t step);
  bool operator==(const RunSpan&) const = default;
};
using RunSpanPointer = std::shared_ptr<const RunSpan>;

/// The core's part of the state. Read it by brushed().
struct Brush {
  RunSpanPointer span;   // null: nothing is brushed
  uint64_t serial = 0;   // of the edit whose run it is of,
  std::string revision;  // and of its PTX; empty: not known then
};

/// What is brushed of the present run; null: nothing, so all of it is looked at. The run is the
/// launch of the edit as it stands: another CTA of it has the same steps.
RunSpanPointer brushed(const AppState& state);
/// Brushes; a stretch without steps lets go.
void brush(AppState& state, RunSpan span);
void let_go_of_brush(AppState& state);

/// Columns of the Timeline, [from, to).
using viz::TimelineColumns;
/// The steps of what the present trace has in these columns. Of folded fma alone the first step is
/// known, so a fold is in it whole.
RunSpan steps_of_columns(const AppState& state, TimelineColumns columns);
/// Where the brush lies, by warp; empty: nothing is brushed, or the trace is of another choice.
std::vector<TimelineColumns> columns_of_brush(const AppState& state);

/// For the session file; null: nothing is brushed.
nlohmann::json brush_json(const AppState& state);
/// Of the edit as it stands. Bears any value.
void brush_from(AppState& state, const nlohmann::json& in);

}  // namespace tilescope
