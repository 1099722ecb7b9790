// Occupancy: how full an SM is for each value of each tile parameter, and what limits it.

#include <algorithm>

#include "app/common/difference_rows.h"
#include "app/features/occupancy/occupancy_curves.h"
#include "app/kit/core/answered_row.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "app/state/residency.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

using namespace widgets;

constexpr float kLeastWidth = 190, kHeight = 116;
constexpr const char* kOccupancySections[] = {kSmSection};

struct View {
  std::vector<SceneCache<viz::CurveState>> pictures;
  std::vector<OccupancyCurve> curves;
  // What the curves follow from.
  uint64_t edit = 0, device = 0, language = 0;
  bool compiled = false;
};
View& view() {
  static View v;
  return v;
}

const std::vector<OccupancyCurve>& curves_of(const AppState& state) {
  View& v = view();
  const bool told = compiled(state) != nullptr;
  const bool same = v.edit == state.edit_serial && v.device == state.device_serial &&
                    v.compiled == told && v.language == language_changes();
  if (!same) {
    v.curves = occupancy_curves(state);
    v.edit = state.edit_serial, v.device = state.device_serial, v.compiled = told;
    v.language = language_changes();
    while (v.pictures.size() < v.curves.size()) v.pictures.emplace_back(&viz::build_curve);
  }
  return v.curves;
}

std::string present_words(const AppState& state) {
  const Residency held = residency(state);
  const model::Occupancy& o = held.occupancy;
  return wording("{}{} {} per SM, {} % of its warps, limited by {}", held.estimated ? "~" : "",
                 o.ctas_per_sm, o.ctas_per_sm == 1 ? "CTA" : "CTAs",
                 model::four_digits(100 * o.warps_share), name_of(o.limiter));
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  if (!state.derived.kernel) return;
  elided(context,
         state.derived.legal() ? present_words(state)
                               : "The present tile cannot be launched; its neighbours are below.",
         state.derived.legal() ? Tone::plain : Tone::warning);
  answered_line(context, kOccupancySections);
  const std::vector<OccupancyCurve>& curves = curves_of(state);
  const float s = context.scale, gap = 8 * s;
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = std::max(1, static_cast<int>((room + gap) / (kLeastWidth * s + gap)));
  const float width = (room - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  for (size_t i = 0; i < curves.size(); ++i) {
    const OccupancyCurve& curve = curves[i];
    if (i % static_cast<size_t>(columns) != 0) ImGui::SameLine(0, gap);
    const viz::Size size{width / s, kHeight};
    const std::string id = std::string("occupancy_") + model::name_of(curve.field);
    const SceneInput input =
        show_scene(context, id.c_str(), view().pictures[i].get(context, size, curve.picture));
    if (!input.hovered || input.hovered->kind != viz::Pick::Kind::point) continue;
    const auto point = static_cast<size_t>(input.hovered->value);
    if (point >= curve.values.size()) continue;
    tooltip(context, curve.words[point]);
    if (input.clicked) {
      set_tile_field(state, curve.field, curve.values[point]);
      return;  // the curves are of the tile before
    }
  }
}

constexpr Gesture kGestures[] = {{"click on a value", "sets its slider"}};

}  // namespace

extern const Panel occupancy_panel = {
    .id = "occupancy",
    .title = "Occupancy",
    .docks = {Dock::kHidden, Dock::kHidden, Dock::kBottomLeft, Dock::kHidden},
    .draw = draw,
    .gestures = kGestures,
};

}  // namespace tilescope
