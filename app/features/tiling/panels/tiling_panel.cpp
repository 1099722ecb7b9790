// Tiling: grid, CTA, warp and mma (or thread) tile, linked; the ring of shared-memory stages.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/features/tiling/panels/observed_tiling.h"
#include "app/features/tiling/tiling_picture.h"
#include "app/features/tiling/tiling_view.h"
#include "app/kit/answer_frame.h"
#include "app/kit/core/linked.h"
#include "app/kit/header_row.h"
#include "app/kit/legend.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "app/state/scene_words.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "viz/scene/tiling/tiling_scene.h"

namespace tilescope {
namespace {

using namespace widgets;

struct View {
  SceneCache<viz::TilingState> cache{&viz::build_tiling};
  float level = 3;  // shown; follows the selection's level smoothly
};
View& view() {
  static View v;
  return v;
}

/// Grid ▸ CTA 3,5 ▸ warp 2 ▸ mma 1,3 ▸ lane 17
void breadcrumb(AppContext& context, AppState& state) {
  const Selection& s = state.selection;
  const bool mma = state.derived.plan.math() == Math::mma;
  const std::string names[] = {"Grid", wording("CTA {},{}", s.cta.row, s.cta.col),
                               wording("warp {}", s.warp),
                               mma ? wording("mma {},{}", s.mma_m, s.mma_n) : std::string("thread"),
                               wording("lane {}", s.lane)};
  for (int i = 0; i <= 4; ++i) {
    if (i) {
      ImGui::SameLine(0, 3 * context.scale);
      const float width = ImGui::CalcTextSize(("▸" + names[i]).c_str()).x + 6 * context.scale +
                          2 * ImGui::GetStyle().FramePadding.x;
      if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
      ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->dim));
      ImGui::TextUnformatted("▸");
      ImGui::PopStyleColor();
      ImGui::SameLine(0, 3 * context.scale);
    }
    const bool on = i == state.selection.level;
    if (on) {
      ImGui::PushStyleColor(ImGuiCol_Button, to_vec4(context.theme->accent_ground));
      ImGui::PushStyleColor(ImGuiCol_Border, to_vec4(context.theme->accent));
      ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
    }
    if (ImGui::SmallButton(fmt::format("{}###crumb{}", translated(names[i]), i).c_str()))
      select_level(state, i);
    if (on) {
      ImGui::PopStyleVar();
      ImGui::PopStyleColor(2);
    }
  }
  const viz::Moment at = scene_moment(state, moment_of(state));
  const std::string where = wording("k slice {} of 0–{}", model::grouped(at.k_slice),
                                    model::grouped(state.derived.plan.work.k_slices - 1));
  const float width = ImGui::CalcTextSize(where.c_str()).x;
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x > width + 8 * context.scale) {
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width);
    elided(context, where, Tone::dim);
  } else {
    ImGui::NewLine();
  }
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  if (state.edit.own()) return draw_observed_tiling(context);
  if (!state.derived.kernel) return;
  breadcrumb(context, state);
  View& v = view();
  const int levels = viz::level_count(state.derived.plan);
  const float target = static_cast<float>(std::clamp(state.selection.level, 0, levels - 1));
  if (state.of<TilingView>().side_by_side || context.rendering || context.still) {
    v.level = target;
  } else if (v.level != target) {  // the camera moves, so that one sees where one went
    const float part = 1 - std::exp(-static_cast<float>(state.frame_seconds) * 9);
    v.level += (target - v.level) * part;
    if (std::abs(target - v.level) < 0.004f) v.level = target;
    state.animating = true;
  }
  const viz::Size size = room_for_scene(context, {1, 230});  // a level and the ring of stages
  const viz::Scene& scene = v.cache.get(context, size, tiling_picture(state, v.level));
  if (scene.primitives.empty()) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(tr("No room for the picture: make this panel larger."));
    ImGui::PopTextWrapPos();
    return;
  }
  const SceneInput input = show_scene(context, "tiling_scene", scene);
  if (input.hovered) pick_tooltip(context, *input.hovered);
  const int level = state.selection.level;
  follow_input(state, input);
  // One level alone changes by wheel and double click; a click in it only chooses.
  const bool alone = !state.of<TilingView>().side_by_side;
  if (alone && input.clicked && input.hovered) select_level(state, level);
  if (input.double_clicked && input.hovered) enter_pick(state, *input.hovered);
  const bool still = std::abs(v.level - target) < 0.1f;  // one turn of the wheel, one level
  if (alone && still && input.wheel != 0 && !ImGui::GetIO().KeyCtrl) {
    if (input.wheel < 0) select_level(state, std::min(level, levels - 1) - 1);
    if (input.wheel > 0 && input.hovered) enter_pick(state, *input.hovered);
  }
}

void draw_header(AppContext& context) {
  AppState& state = *context.state;
  if (state.edit.own()) return draw_observed_header(context);
  static constexpr const char* kWays[] = {"side by side", "one level"};
  const HeaderItem ways{segmented_width(context, kWays), [&] {
                          int way = state.of<TilingView>().side_by_side ? 0 : 1;
                          if (segmented(context, "tiling_way", kWays, &way))
                            state.of<TilingView>().side_by_side = way == 0;
                        }};
  header_row(context, {&ways, 1});
  ImGui::SameLine(0, 12 * context.scale);
  const viz::AnswerMarks marks = answer_marks(state);
  if (marks.any(viz::Pick::Kind::cta) || marks.any(viz::Pick::Kind::lane)) {
    legend(context, answer_keys(context));
  }
  const viz::Palette& palette = palette_of(context);
  using Mark = LegendKey::Mark;
  const LegendKey keys[] = {
      {Mark::ring, palette.select, "selected", "What the next level shows"},
      {Mark::lit, palette.mma, "current",
       "What the present event of the Timeline touches, in its kind's colour"},
      {Mark::thin_ring, palette.select, "hovered", "The same elements at every level"}};
  legend(context, keys);
}

constexpr Gesture kGestures[] = {
    {"click", "chooses what is under the pointer, in every picture"},
    {"double click", "one level into what is under the pointer"},
    {"wheel, one level shown", "one level into what is under the pointer, or out"},
};

}  // namespace

extern const Panel tiling_panel = {
    .id = "tiling",
    .title = "Tiling",
    .docks = {Dock::kCenter, Dock::kCenter, Dock::kHidden, Dock::kHidden},
    .draw = draw,
    .draw_header = draw_header,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
