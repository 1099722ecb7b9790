#include "app/features/tune/panels/slider_curve.h"

#include <fmt/format.h>

#include "app/features/tune/error_curve.h"
#include "app/features/tune/sweep.h"
#include "app/features/tune/tune.h"
#include "app/features/tune/tune_pictures.h"
#include "app/kit/header_row.h"
#include "app/kit/scene_cache.h"
#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/names.h"

namespace tilescope::widgets {
namespace {

constexpr float kHeight = 104;

SceneCache<viz::CurveState>& picture() {
  static SceneCache<viz::CurveState> cache(viz::build_curve);
  return cache;
}

/// One under the other: speed, and error where the slider changes it.
SceneCache<viz::CurveState>& error_scene() {
  static SceneCache<viz::CurveState> cache(viz::build_curve);
  return cache;
}

/// Below the slider's curve, in its ticks.
void show_error(AppContext& context, const Landscape& line, const viz::CurveState& above) {
  AppState& state = *context.state;
  viz::CurveState curve = error_picture(state, line);
  if (curve.points.empty()) return;
  static int hovered = -1;
  curve.first = above.first, curve.last = above.last, curve.hovered = hovered;
  const float s = context.scale, width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + width, at.y + kHeight * s},
                                            to_imgui(context.theme->frame), 3 * s);
  const SceneInput input =
      show_scene(context, "error_curve", error_scene().get(context, {width / s, kHeight}, curve));
  hovered = -1;
  if (!input.hovered || input.hovered->kind != viz::Pick::Kind::point) return;
  hovered = input.hovered->value;
  const auto index = static_cast<size_t>(hovered);
  if (index >= line.cells.size()) return;
  tooltip(context, error_words(state, line, index));
  if (input.clicked) set_tile_field(state, line.axes.across, line.columns[index]);
}

/// How far its sweep is, or what the curve is of.
std::string title_of(const AppState& state, TileFieldId field) {
  const Sweep& sweep = state.of<Sweeping>().sweep;
  const char* const name = model::label_of(field);
  if (sweep.running && sweep.axes == std::vector{field} && sweep.base == state.edit.rung().tile)
    return wording("{}: {}", name, progress_text(sweep));
  return wording("{}, all else as now", name);
}

bool has_slider_curve(const AppState& state, TileFieldId field) {
  return field != TileFieldId::none && state.of<TuneView>().slider_curve == model::name_of(field);
}

}  // namespace

void toggle_slider_curve(AppContext& context, TileFieldId field) {
  AppState& state = *context.state;
  if (has_slider_curve(state, field)) {
    state.of<TuneView>().slider_curve.clear();
    return;
  }
  state.of<TuneView>().slider_curve = model::name_of(field);
  const Sweep plan = plan_sweep(state, {field});
  const std::string blocker = sweep_blocker(state, plan);
  if (state.of<Sweeping>().sweep.running) {
    say(state,
        wording("A sweep is running: stop it in Landscape, then right click again to sweep {}.",
                model::label_of(field)));
  } else if (blocker.empty()) {
    state.of<Sweeping>().wanted = {field};
  } else if (plan.known == 0) {
    say(state, blocker);
  }
}

void slider_curve(AppContext& context, TileFieldId field, SliderTicks ticks) {
  AppState& state = *context.state;
  if (!has_slider_curve(state, field)) return;
  static int hovered = -1;
  const float s = context.scale, width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Landscape line = cut_along(state, field);
  if (line.cells.empty()) return;
  viz::CurveState curve = curve_picture(state, line);
  curve.title = title_of(state, field);
  const float close = small_button_width("×");
  curve.right_room = close / s + 4;
  if (ticks.right > ticks.left) {
    curve.first = (ticks.left - at.x) / s, curve.last = (ticks.right - at.x) / s;
  }
  curve.hovered = hovered;
  ImGui::PushID(model::name_of(field));
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + width, at.y + kHeight * s},
                                            to_imgui(context.theme->frame), 3 * s);
  ImGui::SetNextItemAllowOverlap();
  const SceneInput input =
      show_scene(context, "slider_curve", picture().get(context, {width / s, kHeight}, curve));
  const ImVec2 below = ImGui::GetCursorScreenPos();
  hovered = -1;
  if (input.hovered && input.hovered->kind == viz::Pick::Kind::point) {
    hovered = input.hovered->value;
    const auto index = static_cast<size_t>(hovered);
    if (index < line.cells.size()) {
      tooltip(context, cell_words(state, line, index));
      if (input.clicked) set_tile_field(state, field, line.columns[index]);
    }
  }
  ImGui::SetCursorScreenPos({at.x + width - close - 2 * s, at.y + s});
  if (ImGui::SmallButton("×")) state.of<TuneView>().slider_curve.clear();
  tooltip(context, "Closes the curve; what was measured stays.");
  ImGui::SetCursorScreenPos(below);
  ImGui::Dummy({0, 0});
  show_error(context, line, curve);
  ImGui::PopID();
  if (state.models->is_behind()) state.animating = true;
}

}  // namespace tilescope::widgets
