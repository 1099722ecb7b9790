// The state in the words of viz: what each picture needs to know. Used by the panels and by the
// command line, which draws the same pictures without a window.
#pragma once
#include <span>
#include <string_view>

#include "app/state/app_state.h"
#include "app/state/playback.h"
#include "viz/scene/fragment/fragment_scene.h"
#include "viz/scene/roofline_scene.h"
#include "viz/scene/tiling/tiling_scene.h"
#include "viz/scene/timeline/timeline_scene.h"

namespace tilescope {

viz::Selection scene_selection(const AppState& state);
viz::Moment scene_moment(const AppState& state, const Moment& moment);

/// The trace is of the present edit and the chosen CTA; else it is of what was chosen before.
bool trace_is_of_choice(const AppState& state);

/// `level`: of the camera where one level is shown alone, 0 grid to 3 thread.
viz::TilingState tiling_picture(const AppState& state, float level);
/// What the Fragment panel shows instead of the kernel's own instruction; nullptr: that.
const model::Instruction* shown_instruction(const AppState& state);
viz::FragmentState fragment_picture(const AppState& state);
viz::TimelineState timeline_picture(const AppState& state, const Moment& moment);

/// What the chosen GPU allows, what the kernel was measured or recorded at, and what the model
/// says.
viz::RooflineState roofline_picture(const AppState& state);

/// What the worker or the model must have said before a picture is whole.
enum class PictureNeeds {
  trace,
  results,  // what comes after the trace: a measurement or a record
  layer,    // the model's plan of the layer
};

/// What can be drawn without a window: the panels that are pictures through and through, by their
/// ids, and the roofline of Memory traffic.
struct Picture {
  const char* name;
  bool is_panel = true;
  PictureNeeds needs = PictureNeeds::trace;
  viz::Scene (*build)(const AppState&, const viz::Palette&, const viz::TextMeasure&, viz::Size);
};
std::span<const Picture> pictures();
/// nullptr: no such picture, or it is a panel drawn with widgets.
const Picture* find_picture(std::string_view name);

}  // namespace tilescope
