// The layer in the words of viz.
#pragma once
#include "app/features/layer/layer_facts.h"
#include "viz/scene/layer/layer_scene.h"
#include "viz/scene/layer/layer_timeline_scene.h"
#include "viz/scene/layer/scaling_scene.h"

namespace tilescope {

/// There must be a layer to show (shown_layer).
viz::LayerState layer_picture(const AppState& state);

/// Why there is no time line, and nothing of before to show either; empty: there is one.
std::string why_no_times(const AppState& state);
/// Of the chosen layer; until the model has answered of the one before, faded.
viz::LayerTimelineState layer_timeline_picture(const AppState& state);
viz::ScalingState scaling_picture(const AppState& state);

}  // namespace tilescope
