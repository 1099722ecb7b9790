// The words of the Tiling levels: name, extents and indices in the free corner above A.
#include <algorithm>
#include <cmath>

#include "core/layout/packing.h"
#include "viz/scene/tiling/tiling_parts.h"

namespace tilescope::viz {
namespace {

std::string pair_text(int row, int col) { return std::to_string(row) + "," + std::to_string(col); }
std::string times(int a, int b) { return grouped(a) + "×" + grouped(b); }

struct Facts {
  std::string name, which, short_which;  // "CTA" "3,5"
  std::string extent, short_extent;      // "C 128×128, k 64", "C 128×128"
  std::string rows, cols, both;          // in two lines, or in one
  std::string short_rows, short_cols;    // where there is no room for the last index
  std::vector<std::string> more, short_more;
};

/// Has a long k been drawn shorter than C's extents are?
bool k_is_to_scale(const LevelPicture& p) {
  const float k_scale = p.a.w / static_cast<float>(p.axes.k.count);
  const float n_scale = p.c.w / static_cast<float>(p.axes.n.count);
  return k_scale >= 0.8f * n_scale && k_scale <= 1.25f * n_scale;
}

Facts facts_of(const TilingContext& t, const LevelPicture& p, bool alone) {
  const KernelPlan& plan = t.plan;
  const Selection& s = t.selection;
  Facts f;
  f.name = p.level == Level::grid   ? tr("Grid")
           : p.level == Level::warp ? tr("Warp")
                                    : level_name(plan, p.level);
  f.extent = "C " + times(p.axes.m.count, p.axes.n.count) + ", k " + grouped(p.axes.k.count);
  f.short_extent = "C " + times(p.axes.m.count, p.axes.n.count);
  f.rows = wording("rows {}", axis_text(p.axes.m));
  f.cols = wording("cols {}", axis_text(p.axes.n));
  f.both = wording("rows {}, cols {}", axis_text(p.axes.m), axis_text(p.axes.n));
  f.short_rows = wording("row {}{}", p.axes.m.first, p.axes.m.count > 1 ? " …" : "");
  f.short_cols = wording("col {}{}", p.axes.n.first, p.axes.n.count > 1 ? " …" : "");
  switch (p.level) {
    case Level::grid: {
      const std::string tiles = times(plan.work.raster.tiles_m, plan.work.raster.tiles_n);
      f.which = wording("{} CTAs", tiles);
      f.short_extent = times(t.state.problem.m, t.state.problem.n);
      f.extent = f.short_extent + ", k " + grouped(t.state.problem.k);
      f.rows = f.cols = f.both = "";
      const std::string tile = pair_text(s.cta.row, s.cta.col);
      if (t.item().partial || stays(plan.work)) {
        // Who works at it now, and on what of k.
        const WorkItem item = t.item();
        const std::string cta = "CTA " + grouped(t.worker().cta);
        const std::string k = range_text(item.k_begin, item.k_end - 1);
        const std::string ctas = grouped(cta_count(plan.work));
        f.which = wording("{} tiles, {} CTAs", tiles, ctas);
        f.short_which = wording("{} CTAs", ctas);
        f.more = {wording("tile {}: {}", tile, cta), wording("k slices {}", k)};
        f.short_more = {cta, "k " + k};
      } else {
        const std::string no = grouped(raster_index(plan.work.raster, s.cta));
        f.more = {wording("CTA {}, index {}", tile, no)};
        f.short_more = {wording("index {}", no)};
      }
      if (t.state.ctas_per_wave > 0 && !stays(plan.work)) {
        const std::string sign = t.state.waves_estimated ? "~" : "";
        const std::string wave = sign + grouped(t.worker().cta / t.state.ctas_per_wave + 1);
        const std::string waves =
            sign + grouped(ceil_div(static_cast<int>(cta_count(plan.work)), t.state.ctas_per_wave));
        f.more.push_back(wording("in wave {} of {}", wave, waves));
        f.short_more.push_back(wording("wave {} of {}", wave, waves));
      }
      if (packs_any(plan.spec)) {
        const bool both = plan.spec.pack_a && plan.spec.pack_b;
        const std::string which = both ? "A, B" : plan.spec.pack_a ? "A" : "B";
        f.more.push_back(wording("{} packed before", which));
        f.short_more.resize(f.more.size() - 1);
        f.short_more.push_back(wording("{} packed", which));
      }
      break;
    }
    case Level::cta:
      f.which = pair_text(s.cta.row, s.cta.col);
      break;
    case Level::warp:
      f.which = std::to_string(s.warp);
      if (t.table.lanes_share_atoms()) {
        const LevelRow& atoms = t.table[Level::atom];
        const int number = part_number(atoms, {s.mma_m, s.mma_n, 0});
        const std::string nth = grouped(number + 1), all = grouped(atoms.count.m * atoms.count.n);
        f.more = {wording("mma {},{}: {} of {}", s.mma_m, s.mma_n, nth, all)};
        f.short_more = {wording("{} of {}", nth, all)};
      }
      break;
    case Level::atom:
    case Level::lane:
      if (t.table.lanes_share_atoms()) {
        f.which = pair_text(s.mma_m, s.mma_n);
      } else {
        f.short_which = std::to_string(thread_of(s));
        f.which = wording("{}, lane {}", f.short_which, s.lane);
      }
      break;
  }
  if ((alone || p.level == Level::grid) && !k_is_to_scale(p)) {
    f.more.push_back(tr("k is not to scale"));
    f.short_more.resize(f.more.size() - 1);
    f.short_more.push_back(tr("k not to scale"));
  }
  if (f.short_which.empty()) f.short_which = f.which;
  return f;
}

/// Colours of the launch order, or of the CTAs, first to last.
void launch_key(SceneBuilder& b, const TilingContext& t, float x, float y, float width) {
  const Palette& p = b.palette();
  const WorkOrder& work = t.plan.work;
  b.text(x, y - 12, stays(work) ? "by CTA" : "launch order",
         {p.dim, 11, Weight::regular, Align::left, width + 30});
  const int steps = 32;
  for (int i = 0; i < steps; ++i) {
    const float x0 = std::round(x + static_cast<float>(i) * width / steps);
    const float x1 = std::round(x + static_cast<float>(i + 1) * width / steps);
    b.rect({x0, y, x1 - x0, 7}, mix(p.panel, viridis(static_cast<float>(i) / (steps - 1)), 0.88f));
  }
  b.text(x, y + 15, "0", {p.dim, 10});
  b.text(x + width, y + 15, grouped((stays(work) ? work.ctas : work.raster.tiles()) - 1),
         {p.dim, 10, Weight::regular, Align::right, width - 12});
}

}  // namespace

std::string ctas_text(const WorkOrder& work, Coord tile) {
  const TileParts parts = tile_parts(work, tile);
  const std::string first = grouped(parts.first);
  // Of split-K's the first says which: the others follow a whole grid of tiles later each.
  return parts.count == 1 || parts.step != 1 ? first
                                             : first + "–" + grouped(parts.cta(parts.count - 1));
}

void draw_level_facts(SceneBuilder& b, const TilingContext& t, const LevelPicture& p, Point at,
                      float width, bool alone) {
  const Palette& colors = b.palette();
  const Facts facts = facts_of(t, p, alone);
  const float x = at.x, head_y = at.y;
  // Beside a tall B there is only the corner above A; above a low one the level's whole width.
  const auto room = [&](float y) {
    return !alone && y + 8 > p.b.y - 2 ? std::max(10.0f, p.b.x - x - 14) : width - 8;
  };
  const float named =
      b.text(x, head_y, facts.name, {colors.text, 13, Weight::semibold, Align::left, room(head_y)});
  if (room(head_y) - named > 20) {
    b.text_that_fits(x + named + 6, head_y, {facts.which, facts.short_which},
                     {colors.dim, 12, Weight::regular, Align::left, room(head_y) - named - 6});
  }
  float y = head_y + 18;
  // Below stands the letter A, or the picture.
  const float lowest = alone ? p.c.bottom() : p.a.y - (p.letter_below() ? 18 : 22);
  const auto put = [&](std::initializer_list<std::string_view> choices, Color color) {
    if (choices.begin()->empty() || y > lowest || room(y) < 30) return;
    b.text_that_fits(x, y, choices, {color, 11, Weight::regular, Align::left, room(y)});
    y += 15;
  };
  const auto fits = [&](const std::string& text, float at) {
    return b.width(text, 11) <= room(at);
  };
  put({facts.extent, facts.short_extent}, colors.text);
  if (!facts.rows.empty()) {
    if (fits(facts.both, y)) {
      put({facts.both}, colors.dim);
    } else {
      put({facts.rows, facts.short_rows}, colors.dim);
      put({facts.cols, facts.short_cols}, colors.dim);
    }
  }
  for (size_t i = 0; i < facts.more.size(); ++i) {
    if (i < facts.short_more.size()) {
      put({facts.more[i], facts.short_more[i]}, colors.dim);
    } else {
      put({facts.more[i]}, colors.dim);
    }
  }

  b.text(p.a.x + 1, p.letter_below() ? p.a.bottom() + 9 : p.c.y - 9, "A",
         {colors.a_text, 11, Weight::semibold});
  b.text(p.b.x - 9, p.b.y + 5, "B", {colors.b_text, 11, Weight::semibold, Align::center});
  if (p.level == Level::grid) {
    const float key = std::clamp(p.a.w - 40, 56.0f, 90.0f), key_y = alone ? y + 34 : p.a.y - 46;
    const float needed = std::max(key, b.width("launch order", 11));
    if (key_y - 26 > y - 15 && needed + 18 < p.b.x - x) launch_key(b, t, x, key_y, key);
  }
}

}  // namespace tilescope::viz
