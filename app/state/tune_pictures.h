// The ladder and the landscape in the words of viz.
#pragma once
#include "app/state/app_state.h"
#include "app/state/ladder.h"
#include "viz/scene/ladder_scene.h"

namespace tilescope {

viz::Standing scene_standing(Standing standing);
viz::LadderState ladder_picture(const AppState& state, const std::vector<LadderPart>& parts);
/// The rung that a picked row of the picture is, and its part; null: none.
struct RungAt {
  const LadderPart* part = nullptr;
  const Rung* rung = nullptr;
};
RungAt rung_at(const std::vector<LadderPart>& parts, int index);
/// All that is known of a rung, for its tooltip.
std::string rung_words(const Rung& rung, const LadderPart& part);

}  // namespace tilescope
