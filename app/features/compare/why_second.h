// Why A takes longer than B, or less: totals of a clock or of the model, and the causes between.
#pragma once
#include <optional>
#include <string>

#include "app/state/app_state.h"
#include "viz/scene/waterfall_scene.h"

namespace tilescope {

struct WhySecond {
  std::string sentence;           // "A is 38.7 µs faster, −12.8 %: mostly tail and L2"
  std::string standing;           // "totals measured, split modelled ~"
  viz::WaterfallState bars;       // no steps: nothing is known, `sentence` says why
  std::vector<std::string> tips;  // by step
  bool known() const { return !bars.steps.empty(); }
};
/// There must be a B.
WhySecond why_second(const AppState& state);

}  // namespace tilescope
