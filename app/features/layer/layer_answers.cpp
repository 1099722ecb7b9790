#include "app/features/layer/layer_answers.h"

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_presets.h"
#include "app/state/match.h"
#include "core/language/language.h"

namespace tilescope {

std::vector<Answer> layer_answers(const AppState& state, std::string_view typed) {
  std::vector<Answer> answers;
  for (const LayerPreset& preset : layer_presets()) {
    const int score = match_score(typed, std::string(preset.name) + " layer preset workload");
    if (score <= kScattered) continue;
    const LayerPreset* now = preset_of(chosen_layer(state));
    const bool same = now == &preset;
    answers.push_back(
        {.title = preset.name,
         .effect = wording("Workload: {}; {}", preset.source,
                           same  ? "chosen now"
                           : now ? std::string("now ") + now->name
                                 : ""),
         .score = score,
         .run = [&preset](AppState& s) { set_layer(s, with_preset(chosen_layer(s), preset)); },
         .panel = "workload"});
    if (!same && !now) answers.back().effect = std::string("Workload: ") + preset.source;
  }
  return answers;
}

}  // namespace tilescope
