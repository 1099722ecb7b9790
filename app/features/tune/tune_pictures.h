// The ladder and the landscape in the words of viz.
#pragma once
#include "app/features/tune/landscape.h"
#include "app/state/app_state.h"
#include "app/state/ladder.h"
#include "app/state/scene_words.h"
#include "viz/scene/ladder_scene.h"
#include "viz/scene/landscape_scene.h"

namespace tilescope {

viz::LadderState ladder_picture(const AppState& state, const std::vector<LadderPart>& parts);
/// The rung that a picked row of the picture is, and its part; null: none.
struct RungAt {
  const LadderPart* part = nullptr;
  const LadderRow* rung = nullptr;
};
RungAt rung_at(const std::vector<LadderPart>& parts, int index);
/// All that is known of a rung, for its tooltip.
std::string rung_words(const LadderRow& rung, const LadderPart& part);

viz::LandscapeState landscape_picture(const AppState& state, const Landscape& land);
/// One parameter's curve, as a picture of its own or the landscape's cut along the present row.
viz::CurveState curve_picture(const AppState& state, const Landscape& line);
/// All that is known of a cell: what a tooltip says.
std::string cell_words(const AppState& state, const Landscape& land, size_t index);
/// "block K 64, raster 8, swizzle XOR": what no axis varies; "best of 12: …" of what is.
std::string rest_words(const AppState& state, const Axes& axes);
/// Lines of tab-separated text with a head, as spreadsheets take it.
std::string landscape_text(const AppState& state, const Landscape& land);

}  // namespace tilescope
