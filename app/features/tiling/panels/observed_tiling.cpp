#include "app/features/tiling/panels/observed_tiling.h"

#include "app/features/tiling/observed.h"
#include "app/kit/core/cta_field.h"
#include "app/kit/core/linked.h"
#include "app/kit/header_row.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "app/state/origins.h"
#include "app/state/present_launch.h"

namespace tilescope {
namespace {

using namespace widgets;

SceneCache<viz::ObservedState>& observed_cache() {
  static SceneCache<viz::ObservedState> cache{&viz::build_observed};
  return cache;
}

void observed_tooltip(AppContext& context, const viz::Observed& seen, const viz::Pick& pick) {
  if (context.rendering || !ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) return;
  std::string text = observed_words(seen, pick);
  if (pick.kind == viz::Pick::Kind::element) {
    const std::string origin = origin_words(*context.state, pick);
    if (!origin.empty()) text += "\n" + origin;
  }
  tooltip(context, text);
}

/// A click chooses the CTA, or the thread that stores an element.
void choose_observed(AppState& state, const viz::Observed& seen, const viz::Pick& pick) {
  if (pick.kind == viz::Pick::Kind::cta) {
    return select_cta(state, {pick.cta_row, pick.cta_col}, pick.cta_z);
  }
  const int thread = seen.thread_at(pick.row, pick.col);
  if (thread < 0) return;
  select_warp(state, thread / 32);
  select_lane(state, thread % 32);
}

}  // namespace

void draw_observed_header(AppContext& context) {
  AppState& state = *context.state;
  if (!state.own_launch) return;
  const BlockIndex grid = own_grid(state);
  const HeaderItem cta{cta_field_width(context, grid), [&] {
                         BlockIndex at = chosen_block(state);
                         if (cta_field(context, "##observed_cta", grid, &at))
                           select_cta(state, {at.y, at.x}, at.z);
                       }};
  header_row(context, {&cta, 1});
}

void draw_observed_tiling(AppContext& context) {
  AppState& state = *context.state;
  state.of<ObservedView>().wanted = true;
  const viz::ObservedState picture = observed_picture(state);
  if (!picture.seen) {
    empty_panel(context, "Nothing observed yet", picture.empty_reason);
    return;
  }
  const viz::Size size = room_for_scene(context);
  const viz::Scene& scene = observed_cache().get(context, size, picture);
  const SceneInput input = show_scene(context, "observed_scene", scene);
  if (!input.hovered) return;
  state.hover.pick = input.hovered;
  observed_tooltip(context, *picture.seen, *input.hovered);
  if (input.clicked) choose_observed(state, *picture.seen, *input.hovered);
}

}  // namespace tilescope
