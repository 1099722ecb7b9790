// A second position, B, beside the present one, A: another tile, kernel or device, or what A was
// before its source was changed. B is a state of its own, which the same functions make pictures
// and figures of. In lock-step it is at the k slice and at the place in C where A is.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// AppState::of<Second>().
struct Second {
  std::string name;                 // as it was pinned
  std::shared_ptr<AppState> state;  // null: A is compared with nothing
  bool lock_step = true;            // B shows the k slice and the place in C that A shows
};

/// B's AppState::of<AxisBeside>(): how its Timeline lies under A's. In lock-step the k that A is at
/// has the same place and width in both.
struct AxisBeside {
  std::optional<viz::TimelineBeside> timeline;
};

/// Null: there is no B.
AppState* second_of(AppState& state);
const AppState* second_of(const AppState& state);

/// B was pinned before a source was saved: compiled again it might be another.
bool second_is_older(const AppState& state);

/// B becomes A as it stands, with all that is known of it: what is edited from now on does not
/// change it.
void pin_as_second(AppState& state);
/// B becomes this edit, which is compiled and run beside. `device`: empty: where A is measured.
void compare_with(AppState& state, const Edit& edit, std::string name,
                  const std::string& device = {});
/// No B any more.
void compare_with_nothing(AppState& state);
/// A becomes B, as one step of undo, and B becomes what A was.
void swap_with_second(AppState& state);

/// B's share of the frame: the window's clock, what is known of devices; and in lock-step the
/// moment and the place that A shows.
void follow_first(AppState& state);
/// After a click in one of B's pictures: in lock-step A goes where B is.
void follow_second(AppState& state);

}  // namespace tilescope
