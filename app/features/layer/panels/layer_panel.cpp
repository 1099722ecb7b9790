// Layer: the matrices of the chosen layer to one scale, split over its ranks.
#include "app/features/layer/layer_pictures.h"
#include "app/features/layer/layer_view.h"
#include "app/features/layer/panels/layer_parts.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"

namespace tilescope {
namespace {

using namespace widgets;

SceneCache<viz::LayerState>& picture() {
  static SceneCache<viz::LayerState> cache(viz::build_layer);
  return cache;
}

void draw_header(AppContext& context) {
  const workload::Layer* layer = shown_layer(*context.state);
  if (layer) rank_legend(context, layer->ranks);
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  state.of<LayerView>().wanted = true;
  if (!layer_to_show(context)) return;
  const viz::LayerState shown = layer_picture(state);
  viz::Size size = room_for_scene(context);
  size.h = std::max(size.h, viz::layer_height(shown, FontMeasure(context), size.w));
  follow_steps(context, show_scene(context, "layer_scene", picture().get(context, size, shown)));
}

constexpr Gesture kGestures[] = {
    {"click on a step", "opens its rung and tile in the other panels"},
};

}  // namespace

extern const Panel layer_panel = {
    .id = "layer",
    .title = "Layer",
    .docks = {.layer = Dock::kCenter},
    .draw = draw,
    .draw_header = draw_header,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
