// The history: the result of each edit, and which results a person has pinned.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

/// The best figure for the present edit: measured, else recorded, else modelled. What the headline,
/// the history and the roofline show.
HistoryPoint point_of(const AppState& state);
/// What a clock has said of an edit on the present device, now or when it was recorded; nothing
/// where it was never timed.
std::optional<HistoryPoint> timed_point(const AppState& state, const Edit& edit);
/// Adds the present edit's result to the history. It replaces the result that the same edit had
/// before on the same device with the same standing, if there is one.
void remember_result(AppState& state);
/// Whether a point is of what stands now: of a kernel of one's own with the file as it is.
bool is_of_present(const AppState& state, const HistoryPoint& point);
void pin(AppState& state, const HistoryPoint& point, std::string name);
void unpin(AppState& state, size_t index);
const char* name_of(Standing standing);
/// True if a point was timed, now or when it was recorded. Only such points are ranked and joined
/// by lines; modelled ones are not.
bool is_timed(Standing standing);

/// What the time of one launch is, for the point that point_of() gives: "median, cold L2".
struct LaunchTime {
  std::string caption, tip;
};
LaunchTime launch_time(const AppState& state, const HistoryPoint& point);

/// One history: the points of the present problem on the present device, oldest first. What was
/// measured and what was recorded are never in one; modelled ones are beside either, marked.
std::vector<const HistoryPoint*> shown_history(const AppState& state);

/// The present kernel's tiles on the present problem and device: what was ever measured or recorded
/// of them, and of this history what is not among that.
std::vector<HistoryPoint> known_tiles(const AppState& state);

}  // namespace tilescope
