// What can stand as B: pins, what was looked at before, rungs at the tile that they were left with;
// and devices.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/state/answer.h"
#include "app/state/app_state.h"

namespace tilescope {

struct SecondChoice {
  const char* section;  // "pinned"
  std::string title;    // "wide: 128×256×64, 3 stages"
  std::string tip;
  Edit edit;
  std::string device;  // empty: where A is measured
};
std::vector<SecondChoice> second_choices(const AppState& state);
/// The fastest tile of the present kernel that a clock has timed on this problem and device;
/// nothing where the present one is it, or none was timed.
std::optional<SecondChoice> fastest_choice(const AppState& state);
void choose_second(AppState& state, const SecondChoice& choice);

/// "mma_multistage 128×128×64, 3 stages" or "sgemm.cu".
std::string position_name(const Edit& edit);

/// "compare wide", "b naive".
std::vector<Answer> compare_answers(const AppState& state, std::string_view typed);

}  // namespace tilescope
