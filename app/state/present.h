// How far what the worker has said is of what stands now. Figures, badges, ticks and heat ask this
// and nothing else before they are shown as the present edit's.
#pragma once
#include "app/state/app_state.h"

namespace tilescope {

enum class Trust {
  none,    // of another tile, of files before they were saved, of a kernel that compiled once
  shaken,  // of what stands now, but its work has failed since: dim, and nothing is ticked off
  whole,
};
Trust trust_of(const AppState& state);

/// The results where they are of what stands now, shaken or not; else none. What is being done and
/// why it failed (`stage`, `error`) is always of the present edit: read it in `state.results`.
const Results& present_results(const AppState& state);

/// Whether the work on what stands now has failed.
bool has_failed(const AppState& state);

}  // namespace tilescope
