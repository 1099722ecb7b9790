// The state in the words of viz: what each picture needs to know. Used by the panels and by the
// command line, which draws the same pictures without a window.
#pragma once
#include <optional>
#include <string_view>

#include "app/state/app_state.h"
#include "app/state/playback.h"
#include "viz/scene/fragment/fragment_scene.h"
#include "viz/scene/tiling/tiling_scene.h"
#include "viz/scene/timeline/timeline_scene.h"

namespace tilescope {

viz::Selection scene_selection(const AppState& state);
viz::Moment scene_moment(const AppState& state, const Moment& moment);

/// `level`: of the camera where one level is shown alone, 0 grid to 3 thread.
viz::TilingState tiling_picture(const AppState& state, float level);
/// What the Fragment panel shows instead of the kernel's own instruction; nullptr: that.
const model::Instruction* shown_instruction(const AppState& state);
viz::FragmentState fragment_picture(const AppState& state);
/// Points into state.results: use it before those change.
viz::TimelineState timeline_picture(const AppState& state, const Moment& moment);

/// The panels that are pictures through and through, by their ids.
struct Picture {
  const char* panel;
  viz::Scene (*build)(const AppState&, const viz::Palette&, const viz::TextMeasure&, viz::Size);
};
/// nullptr: no such panel, or it is drawn with widgets.
const Picture* find_picture(std::string_view panel);

}  // namespace tilescope
