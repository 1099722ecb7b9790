// Results of edits that were looked at before, found by what they are of, so that a step back shows
// at once what is known of it, and a second position beside the present one has its own.
#pragma once
#include "app/state/app_state.h"

namespace tilescope {

/// How many edits' results are kept, and how many events and accesses their traces may have in all;
/// the ones that were looked at longest ago go first.
constexpr size_t kMostFound = 32;
constexpr size_t kMostFoundRecords = 2'000'000;

/// What results of `edit` are of, on the present device and with the kernels' files as they are.
FoundFor found_for(const AppState& state, const Edit& edit);

/// The results of the edit that was present go to the others, if they are whole: each step was
/// done, none failed.
void put_by(AppState& state);
/// Those of the present edit become `state.results` again, if there are any: then true.
bool take_found(AppState& state);

/// Of any edit, the present one too, whole ones alone; null: none are known.
const Results* find_results(const AppState& state, const Edit& edit);

}  // namespace tilescope
