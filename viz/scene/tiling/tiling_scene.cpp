#include "viz/scene/tiling/tiling_scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/tiling/tiling_parts.h"

namespace tilescope::viz {
namespace {

constexpr float kTilingPad = 8;

Box mapped(const Box& box, const Box& from, const Box& to) {
  const float sx = to.w / from.w, sy = to.h / from.h;
  return {to.x + (box.x - from.x) * sx, to.y + (box.y - from.y) * sy, box.w * sx, box.h * sy};
}
LevelPicture mapped(LevelPicture p, const Box& from, const Box& to) {
  p.a = mapped(p.a, from, to), p.b = mapped(p.b, from, to), p.c = mapped(p.c, from, to);
  return p;
}
/// Sizes change by factors, so they are interpolated as such; the place follows the size.
Box between(const Box& from, const Box& to, float t) {
  const float w = from.w * std::pow(to.w / from.w, t), h = from.h * std::pow(to.h / from.h, t);
  const auto along = [t](float a, float b, float wa, float wb, float now) {
    const float s = std::fabs(wb - wa) > 1e-3f ? (now - wa) / (wb - wa) : t;
    return a + (b - a) * s;
  };
  return {along(from.x, to.x, from.w, to.w, w), along(from.y, to.y, from.h, to.h, h), w, h};
}
float smooth(float t) { return t * t * (3 - 2 * t); }

void draw_picture(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  draw_level(b, t, p);
  draw_level_lit(b, t, p);
  draw_level_selection(b, t, p);
  draw_level_hover(b, t, p);
  draw_level_answer(b, t, p);
}

/// A light wedge from what is chosen to the next level's picture.
void zoom_lines(SceneBuilder& b, const TilingContext& t, const LevelPicture& from,
                const LevelPicture& to) {
  const Color light = b.palette().select;
  const Box s = child_bounds(from, t.axes[static_cast<size_t>(to.level)]);
  const float x0 = s.right() + 3, x1 = to.left() - 2;
  if (x1 <= x0) return;
  const Point a{x0, s.y - 1}, c{x1, to.c.y}, d{x1, to.c.bottom()}, e{x0, s.bottom() + 1};
  b.polygon({a, c, d, e}, fade(light, 0.09f));
  b.line(a, c, fade(light, 0.55f));
  b.line(e, d, fade(light, 0.55f));
}

void side_by_side(SceneBuilder& b, const TilingContext& t, Box panel) {
  // What height the levels leave goes to the stages, then above, between and below.
  const float least = stage_area_height(t, true);
  Box area{panel.x, panel.y, panel.w, panel.h - least - 12};
  const float slack = area.bottom() - lowest(place_side_by_side(t, area));
  const float stages = least + (t.plan.stages() > 0 ? std::clamp(slack * 0.5f, 0.0f, 70.0f) : 0.0f);
  const float rest = std::max(0.0f, slack - (stages - least));
  area.y += std::floor(std::min(rest * 0.3f, 160.0f)), area.h -= stages - least;
  const std::vector<LevelPicture> pictures = place_side_by_side(t, area);
  const float stage_y = lowest(pictures) + 12 + std::floor(std::min(rest * 0.3f, 60.0f));
  draw_stages(b, t, {panel.x, stage_y, panel.w, stages}, true);
  for (const LevelPicture& p : pictures) {
    draw_level(b, t, p);
    draw_level_lit(b, t, p);
  }
  for (size_t i = 0; i + 1 < pictures.size(); ++i) zoom_lines(b, t, pictures[i], pictures[i + 1]);
  for (size_t i = 0; i < pictures.size(); ++i) {
    draw_level_selection(b, t, pictures[i]);
    draw_level_hover(b, t, pictures[i]);
    draw_level_answer(b, t, pictures[i]);
    const float end = i + 1 < pictures.size() ? pictures[i + 1].left() : area.right();
    draw_level_facts(b, t, pictures[i], {pictures[i].left(), area.y + 8},
                     std::max(end, pictures[i].right()) - pictures[i].left(), false);
  }
}

/// Where one level stands: beside the stages of shared memory at the CTA, which they belong to,
/// else only the ruler of the k slices takes room from it.
Box area_alone(const TilingContext& t, int level, Box panel) {
  const float below = stage_area_height(t, static_cast<Level>(level) == Level::cta);
  return {panel.x, panel.y, panel.w, panel.h - below - 12};
}

void one_level(SceneBuilder& b, const TilingContext& t, Box panel, float at) {
  const int lower = std::clamp(static_cast<int>(std::floor(at)), 0, t.levels - 1);
  const float part = std::clamp(at - static_cast<float>(lower), 0.0f, 1.0f);
  const bool still = part <= 0.001f || lower + 1 >= t.levels;
  const int shown = still || part < 0.5f ? lower : lower + 1;
  const Box area = area_alone(t, shown, panel);
  const float stages = panel.bottom() - area.bottom() - 12;
  draw_stages(b, t, {panel.x, panel.bottom() - stages, panel.w, stages},
              static_cast<Level>(shown) == Level::cta);
  const LevelPicture p = place_alone(t, lower, area_alone(t, lower, panel));
  if (still) {
    draw_picture(b, t, p);
    const float column = std::min(kAloneFacts, area.w * 0.3f);
    draw_level_facts(b, t, p, {p.left() - column, p.b.y + 5}, column - 14, true);
    return;
  }
  // The camera: what is chosen grows until it is where the next level stands.
  const LevelPicture next = place_alone(t, lower + 1, area_alone(t, lower + 1, panel));
  const Box chosen = child_bounds(p, next.axes);
  const Box now = between(chosen, next.c, smooth(part));
  b.push_clip(area);
  const bool texts = b.set_texts(false);
  const float opacity = b.set_opacity(1.0f - smooth(std::clamp((part - 0.5f) * 2, 0.0f, 1.0f)));
  if (b.opacity() > 0.01f) draw_picture(b, t, mapped(p, chosen, now));
  b.set_opacity(smooth(std::min(1.0f, part * 1.6f)));
  draw_picture(b, t, mapped(next, next.c, now));
  b.set_opacity(opacity);
  b.set_texts(texts);
  b.pop_clip();
}

}  // namespace

const char* level_name(const KernelPlan& plan, Level level) {
  switch (level) {
    case Level::grid:
      return "grid";
    case Level::cta:
      return "CTA";
    case Level::warp:
      return "warp";
    case Level::atom:
      if (plan.math() == Math::mma) return "mma";
      return "thread";
    case Level::lane:
      return "lane";
  }
  return "";
}

int level_count(const KernelPlan& plan) {
  return std::min(hierarchy_of(plan).levels, kTilingLevels);
}

Scene build_tiling(const TilingState& state, const Palette& palette, const TextMeasure& measure,
                   Size size) {
  SceneBuilder b(size, palette, measure);
  const KernelPlan& plan = state.plan;
  TilingContext t{state, plan, hierarchy_of(plan), {}, {}, level_count(plan), {}};
  if (t.levels == 0 || size.w < 60 || size.h < 60) return b.finish();
  if (t.levels == kTilingLevels) t.selection = clamped(state.selection, plan);
  t.selection.cta = {std::clamp(state.selection.cta.row, 0, plan.work.raster.tiles_m - 1),
                     std::clamp(state.selection.cta.col, 0, plan.work.raster.tiles_n - 1)};
  t.moment = clamped(state.moment, plan);
  t.axes[0] = grid_axes(plan);
  t.axes[1] = cta_axes(plan, t.selection, t.moment);
  if (t.levels > 2) {
    t.axes[2] = warp_axes(plan, t.selection, t.moment);
    t.axes[3] = atom_axes(plan, t.selection, t.moment);
  }
  const Box panel{kTilingPad, 0, size.w - 2 * kTilingPad, size.h - kTilingPad};
  if (state.side_by_side) {
    side_by_side(b, t, panel);
  } else {
    one_level(b, t, panel, state.level);
  }
  return b.finish();
}

}  // namespace tilescope::viz
