// Layer timeline: when each rank computes and when something travels, measured above modelled.
#include "app/features/layer/layer_pictures.h"
#include "app/features/layer/layer_view.h"
#include "app/features/layer/panels/layer_parts.h"
#include "app/kit/legend.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

SceneCache<viz::LayerTimelineState>& picture() {
  static SceneCache<viz::LayerTimelineState> cache(viz::build_layer_timeline);
  return cache;
}

void draw_header(AppContext& context) {
  const Theme& theme = *context.theme;
  const LayerMeasured* run = layer_measured(*context.state);
  const bool measured = run && !run->result.bars.empty();
  const std::string label = tr("measured") + (measured ? day_words(*run) : "");
  const LegendKey keys[] = {
      {LegendKey::Mark::thin_ring, theme.dim, "modelled", "Dashed: what the model expects"},
      {LegendKey::Mark::fill, theme.dim, label.c_str(),
       "Of a usual run with an event between any two steps, which take time, too: the total in "
       "Workload is of runs without them"}};
  legend(context, std::span(keys).first(measured ? 2 : 1));
  ImGui::Dummy({0, 0});  // what follows in a panel that stands alone begins a line
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  state.of<LayerView>().wanted = true;
  if (const std::string why = why_no_times(state); !why.empty()) {
    empty_panel(context, "No time line yet", why);
    return;
  }
  follow_steps(context, show_scene(context, "layer_timeline_scene",
                                   picture().get(context, room_for_scene(context),
                                                 layer_timeline_picture(state))));
}

constexpr Gesture kGestures[] = {
    {"click on a bar", "opens its step's rung and tile in the other panels"},
};

}  // namespace

extern const Panel layer_timeline_panel = {
    .id = "layer_timeline",
    .title = "Layer timeline",
    .docks = {.layer = Dock::kBottomRight},
    .draw = draw,
    .draw_header = draw_header,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
