// Ladder: how fast each rung is, beside the library; a click goes to a rung and its best tile.
#include "app/features/tune/tune_pictures.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"

namespace tilescope {
namespace {

using namespace widgets;

SceneCache<viz::LadderState>& picture() {
  static SceneCache<viz::LadderState> cache(viz::build_ladder);
  return cache;
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  static int hovered = -1;
  const std::vector<LadderPart> parts = ladder_parts(state);
  viz::LadderState shown = ladder_picture(state, parts);
  shown.hovered = hovered;
  if (state.models->is_behind()) state.animating = true;
  viz::Size size = room_for_scene(context);
  size.h = std::max(size.h, viz::ladder_height(shown, size.w));
  const SceneInput input = show_scene(context, "ladder_scene", picture().get(context, size, shown));
  hovered = -1;
  if (!input.hovered || input.hovered->kind != viz::Pick::Kind::point) return;
  hovered = input.hovered->value;
  const RungAt at = rung_at(parts, hovered);
  if (!at.rung) return;
  tooltip(context, rung_words(*at.rung, *at.part));
  if (input.clicked) set_edit(state, Edit(at.rung->edit));
}

constexpr Gesture kGestures[] = {
    {"click on a bar", "goes to that rung, with the best tile known of it"},
};

}  // namespace

extern const Panel ladder_panel = {
    .id = "ladder",
    .title = "Ladder",
    .docks = {Dock::kHidden, Dock::kHidden, Dock::kCenter, Dock::kHidden},
    .draw = draw,
    .gestures = kGestures,
};

}  // namespace tilescope
