// What a stepped run has shown up to where it stands, for those that show it: the checks' findings,
// copies on their way, what the kernel printed. The feature that steps writes it; whoever shows it
// asks for it here, and for the way to a moment.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "worker/messages/messages_step.h"

namespace tilescope {

struct StepOutput {
  bool wanted = false;  // this frame's: somebody shows it
  std::string why;      // why nothing comes, in a sentence with the way out; empty: it does
  std::shared_ptr<const worker::StepAnswer> answer;  // null: none yet
  std::vector<worker::StepMotion> ways;              // asked for: from the run's beginning
  std::vector<std::string> reads;                    // asked for: motions "read:A[17,3]"
};

/// Of the present place; null where nothing is stepped, or where the checks have not been asked.
const worker::StepAnswer* step_output(const AppState& state);
/// The stepped run goes to a moment: before the step of a warp.
void step_to_moment(AppState& state, BlockIndex cta, int warp, uint64_t step);
/// It goes back to the last place before the present one where something is read; from its
/// beginning to the first.
void step_to_read(AppState& state, const std::string& motion);

}  // namespace tilescope
