// Strong scaling: the same layer over 1, 2, 4 and 8 ranks, measured where it was, else modelled.

#include <algorithm>

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_pictures.h"
#include "app/features/layer/layer_view.h"
#include "app/kit/scene_cache.h"
#include "app/kit/scene_view.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using namespace widgets;

SceneCache<viz::ScalingState>& picture() {
  static SceneCache<viz::ScalingState> cache(viz::build_scaling);
  return cache;
}

std::string times_words(const char* name, const viz::ScalingTimes& times, const char* sign) {
  if (times.forward_us + times.backward_us <= 0) return "";
  return wording("\n{}: forward {}{}, backward {}{}", name, sign,
                 model::time_text(times.forward_us), sign, model::time_text(times.backward_us));
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  state.of<LayerView>().wanted = true;
  const viz::ScalingState shown = scaling_picture(state);
  if (shown.points.empty()) {
    empty_panel(context, "No scaling yet", why_no_times(state));
    return;
  }
  const SceneInput input =
      show_scene(context, "scaling_scene", picture().get(context, room_for_scene(context), shown));
  if (!input.hovered || input.hovered->kind != viz::Pick::Kind::point) return;
  const auto point =
      std::ranges::find(shown.points, input.hovered->value, &viz::ScalingPoint::ranks);
  if (point == shown.points.end()) return;
  tooltip(context, wording("{} {}{}{}{}\nA click chooses so many ranks.", point->ranks,
                           point->ranks == 1 ? "rank" : "ranks",
                           times_words("modelled", point->modelled, "~"),
                           times_words("measured", point->measured, ""),
                           point->why_not.empty() ? "" : "\n" + retold(point->why_not + ".")));
  if (input.clicked) set_layer(state, over_ranks(chosen_layer(state), point->ranks));
}

constexpr Gesture kGestures[] = {
    {"click on a number of ranks", "chooses it"},
};

}  // namespace

extern const Panel scaling_panel = {
    .id = "scaling",
    .title = "Strong scaling",
    .docks = {.layer = Dock::kRightTop},
    .draw = draw,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
