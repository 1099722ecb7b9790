// What each level shows inside its A, B and C.
#include <algorithm>
#include <cmath>

#include "viz/scene/tiling/tiling_parts.h"

namespace tilescope::viz {
namespace {

float unit_x(const Box& box, int count) { return box.w / static_cast<float>(std::max(1, count)); }
float unit_y(const Box& box, int count) { return box.h / static_cast<float>(std::max(1, count)); }

/// The part of a box that spans of its columns and rows cover.
Box part(const Box& box, Span rows, int row_count, Span cols, int col_count) {
  const float sx = unit_x(box, col_count), sy = unit_y(box, row_count);
  return {box.x + static_cast<float>(cols.from) * sx, box.y + static_cast<float>(rows.from) * sy,
          std::max(1.0f, static_cast<float>(cols.to - cols.from) * sx),
          std::max(1.0f, static_cast<float>(rows.to - rows.from) * sy)};
}

/// The pointer learns row and column of the matrix, though no element is drawn.
void element_picks(SceneBuilder& b, Box box, Operand o, const Axis& rows, const Axis& cols,
                   Level level, Pick pick = {}) {
  CellGrid grid;
  grid.box = box;
  grid.rows = rows.count, grid.columns = cols.count;
  grid.pick_mode = CellPick::element;
  if (pick.kind == Pick::Kind::nothing) pick.kind = Pick::Kind::element;
  pick.level = level, pick.matrix = static_cast<int8_t>(o);
  pick.row = rows.first, pick.col = cols.first;
  grid.pick = pick;
  grid.pick_row_list = rows.list, grid.pick_col_list = cols.list;
  b.add(std::move(grid));
}

/// A and B: what the next level reads is tinted, its present k strong.
void draw_operands(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  const Palette& colors = b.palette();
  const int next = static_cast<int>(p.level) + 1;
  const bool has_child = next < t.levels;
  // One level alone never shows less than it would beside its child.
  const LevelAxes& child = has_child ? t.axes[static_cast<size_t>(next)] : p.axes;
  const bool grid = p.level == Level::grid;
  operand_box(b, p.a, Operand::a, grid ? 0.13f : 0.16f, 0);
  operand_box(b, p.b, Operand::b, grid ? 0.13f : 0.16f, 0);
  const std::vector<Span> ms = spans(p.axes.m, child.m), ns = spans(p.axes.n, child.n);
  const std::vector<Span> ks = spans(p.axes.k, child.k);
  const Span all_k{0, p.axes.k.count};
  for (const Span& m : ms) {
    b.rect(part(p.a, m, p.axes.m.count, all_k, p.axes.k.count),
           fade(colors.a, grid ? 0.8f : 0.28f));
    for (const Span& k : ks) {
      if (grid) break;
      b.rect(part(p.a, m, p.axes.m.count, k, p.axes.k.count), fade(colors.a, 0.95f));
    }
  }
  for (const Span& n : ns) {
    b.rect(part(p.b, all_k, p.axes.k.count, n, p.axes.n.count),
           fade(colors.b, grid ? 0.8f : 0.28f));
    for (const Span& k : ks) {
      if (grid) break;
      b.rect(part(p.b, k, p.axes.k.count, n, p.axes.n.count), fade(colors.b, 0.95f));
    }
  }
  // Lines between the k steps, and between the child's rows and columns at the warp level.
  const int steps = p.level == Level::cta ? k_steps(t.plan) : 1;
  const Color line = fade(colors.panel, 0.6f);
  if (steps > 1 && p.a.w / static_cast<float>(steps) >= 3) {
    for (int i = 1; i < steps; ++i) {
      const float f = static_cast<float>(i) / static_cast<float>(steps);
      b.line({std::round(p.a.x + f * p.a.w), p.a.y}, {std::round(p.a.x + f * p.a.w), p.a.bottom()},
             line);
      b.line({p.b.x, std::round(p.b.y + f * p.b.h)}, {p.b.right(), std::round(p.b.y + f * p.b.h)},
             line);
    }
  }
  if (p.level == Level::warp && t.table.lanes_share_atoms()) {
    const int rows = t.table[Level::atom].count.m, cols = t.table[Level::atom].count.n;
    for (int i = 1; i < rows && p.a.h / static_cast<float>(rows) >= 3; ++i) {
      const float y =
          std::round(p.a.y + static_cast<float>(i) * p.a.h / static_cast<float>(rows)) - 1;
      b.line({p.a.x, y}, {p.a.right(), y}, colors.panel);
    }
    for (int i = 1; i < cols && p.b.w / static_cast<float>(cols) >= 3; ++i) {
      const float x =
          std::round(p.b.x + static_cast<float>(i) * p.b.w / static_cast<float>(cols)) - 1;
      b.line({x, p.b.y}, {x, p.b.bottom()}, colors.panel);
    }
  }
  b.rect(p.a, {}, fade(colors.a, 0.7f));
  b.rect(p.b, {}, fade(colors.b, 0.7f));
  element_picks(b, p.a, Operand::a, p.axes.m, p.axes.k, p.level);
  element_picks(b, p.b, Operand::b, p.axes.k, p.axes.n, p.level);
  if (!grid) return;
  // The k slice that moves along the panels: a mark wider than they are; a wide slice is outlined,
  // or it would hide the panel.
  const auto draw_mark = [&](const Box& mark) {
    constexpr float kWide = 8;
    if (std::min(mark.w, mark.h) < kWide) {
      b.rect(mark, colors.select);
    } else {
      b.rect(mark, fade(colors.select, 0.2f), colors.select, 0, 2);
    }
  };
  for (const Span& k : ks) {
    for (const Span& m : ms) {
      Box mark = part(p.a, m, p.axes.m.count, k, p.axes.k.count);
      mark = {std::round(mark.x) - 1, mark.y - 3, std::max(3.0f, std::round(mark.w)), mark.h + 6};
      draw_mark(mark);
    }
    for (const Span& n : ns) {
      Box mark = part(p.b, k, p.axes.k.count, n, p.axes.n.count);
      mark = {mark.x - 3, std::round(mark.y) - 1, mark.w + 6, std::max(3.0f, std::round(mark.h))};
      draw_mark(mark);
    }
  }
}

/// Block tiles shaded by launch order, or by the CTA that begins them where CTAs go from tile to
/// tile; a wave's end is a white edge.
void draw_grid_cells(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  const WorkOrder& work = t.plan.work;
  const Raster& raster = work.raster;
  const int last = (stays(work) ? work.ctas : raster.tiles()) - 1;
  CellGrid grid;
  grid.box = p.c;
  // More cells than pixels would be work for nothing: each then stands for several CTAs.
  const auto cap = [](int tiles, float pixels) {
    return std::max(1, std::min({tiles, 512, static_cast<int>(std::ceil(pixels))}));
  };
  grid.columns = cap(raster.tiles_n, p.c.w), grid.rows = cap(raster.tiles_m, p.c.h);
  const bool exact = grid.columns == raster.tiles_n && grid.rows == raster.tiles_m;
  grid.cells.resize(static_cast<size_t>(grid.columns) * static_cast<size_t>(grid.rows));
  const double scale = static_cast<double>(kCellMax) / std::max(1, last);
  const auto order_of = [&](int row, int col) {
    const Coord tile{static_cast<int>((row + 0.5) * raster.tiles_m / grid.rows),
                     static_cast<int>((col + 0.5) * raster.tiles_n / grid.columns)};
    return first_worker(work, tile).cta;
  };
  uint32_t* out = grid.cells.data();
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.columns; ++col) {
      *out++ = static_cast<uint32_t>(order_of(row, col) * scale);
    }
  }
  if (exact && !stays(work) && t.state.ctas_per_wave > 0 &&
      raster.tiles() > t.state.ctas_per_wave && raster.tiles() / t.state.ctas_per_wave < 64) {
    const auto wave = [&](int row, int col) {
      return raster_index(raster, {row, col}) / t.state.ctas_per_wave;
    };
    for (int row = 0; row < grid.rows; ++row) {
      for (int col = 0; col < grid.columns; ++col) {
        uint32_t& cell = grid.cells[static_cast<size_t>(row * grid.columns + col)];
        const int mine = wave(row, col);
        if (col + 1 < grid.columns && wave(row, col + 1) != mine) cell |= kCellEdgeRight;
        if (row + 1 < grid.rows && wave(row + 1, col) != mine) cell |= kCellEdgeBottom;
      }
    }
  }
  grid.color = CellColor::viridis;
  grid.strength = 0.88f;
  const float cell_w = p.c.w / static_cast<float>(grid.columns);
  const float cell_h = p.c.h / static_cast<float>(grid.rows);
  grid.line_width = std::min(cell_w, cell_h) >= 8 ? 1 : 0;
  grid.pick_mode = CellPick::cta;
  grid.pick.kind = Pick::Kind::cta;
  grid.pick.level = Level::grid;
  grid.pick.matrix = 2;
  grid.pick.cta_row = grid.pick.cta_col = 0;
  grid.pick_columns = raster.tiles_n, grid.pick_rows = raster.tiles_m;
  const float size = 10;
  // The longest: of the last tile, or where CTAs stay of the last CTA's first.
  std::string longest = ctas_text(work, raster_tile(raster, raster.tiles() - 1));
  if (stays(work) && work.ctas > 0 && work.ctas <= raster.tiles()) {
    const std::string last = ctas_text(work, raster_tile(raster, work.ctas - 1));
    if (last.size() > longest.size()) longest = last;
  }
  const bool numbers = exact && cell_h >= 14 && b.width(longest, size) + 4 <= cell_w;
  const CellGrid looks = grid;
  b.cells(std::move(grid));
  if (!numbers) return;
  for (int row = 0; row < looks.rows; ++row) {
    for (int col = 0; col < looks.columns; ++col) {
      const Box box = cell_box(looks, row, col);
      const uint32_t cell = looks.cells[static_cast<size_t>(row * looks.columns + col)];
      b.text(box.x + box.w / 2, box.y + box.h / 2, ctas_text(work, {row, col}),
             {ink_on(cell_color(looks, cell, b.palette())), size, Weight::regular, Align::center});
    }
  }
}

void draw_cta_warps(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  const Palette& colors = b.palette();
  const float sx = unit_x(p.c, t.plan.block_n), sy = unit_y(p.c, t.plan.block_m);
  int labelled = -1;
  // Of warps that share a tile (each with a part of k) one stands for all: the chosen one, if it
  // can.
  const int apart = warps_per_part(t.plan);
  const auto is_shown = [&](int warp) {
    const bool beside_chosen = warp % apart == t.selection.warp % apart;
    return beside_chosen ? warp == t.selection.warp : part_of_warp(t.plan, warp) == 0;
  };
  const auto name_of = [&](int warp) {
    std::string name = "w" + std::to_string(warp % apart);
    for (int part = 1; part < t.plan.warps_k; ++part) {
      name += "+" + std::to_string(warp % apart + part * apart);
    }
    return name;
  };
  for (const WarpRegion& region : warp_regions(t.plan)) {
    if (!is_shown(region.warp)) continue;
    const float x0 = std::round(p.c.x + static_cast<float>(region.col) * sx);
    const float y0 = std::round(p.c.y + static_cast<float>(region.row) * sy);
    const Box box{x0, y0,
                  std::round(p.c.x + static_cast<float>(region.col + region.cols) * sx) - x0,
                  std::round(p.c.y + static_cast<float>(region.row + region.rows) * sy) - y0};
    const bool chosen = region.warp == t.selection.warp;
    // Odd warps a shade lighter, so that neighbours differ even where no line fits.
    const float strength = chosen ? 0.78f : region.warp % 2 == 0 ? 0.34f : 0.26f;
    const bool lines = std::min(box.w, box.h) >= 5;
    b.rect(box, mix(colors.panel, colors.c, strength), lines ? colors.panel : Color{});
    Pick pick;
    pick.kind = Pick::Kind::warp;
    pick.warp = region.warp;
    pick.cta_row = t.selection.cta.row, pick.cta_col = t.selection.cta.col;
    element_picks(b, box, Operand::c, {p.axes.m.first + region.row, region.rows, {}},
                  {p.axes.n.first + region.col, region.cols, {}}, Level::cta, pick);
    const std::string name = name_of(region.warp);
    const float size = box.h >= 18 ? 12.0f : 10.0f;
    if (region.warp != labelled && b.width(name, size, Weight::semibold) + 6 <= box.w &&
        box.h >= size + 2) {
      b.text(box.x + box.w / 2, box.y + box.h / 2, name,
             {chosen ? ink_on(mix(colors.panel, colors.c, strength)) : colors.text, size,
              Weight::semibold, Align::center});
    }
  }
  b.rect(p.c, {}, fade(colors.c, 0.8f));
}

void draw_warp_mmas(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  const Palette& colors = b.palette();
  CellGrid grid;
  grid.box = p.c;
  grid.columns = t.table[Level::atom].count.n, grid.rows = t.table[Level::atom].count.m;
  grid.color = CellColor::solid;
  grid.base = colors.c;
  grid.strength = 0.62f;
  for (int i = 0; i < grid.columns * grid.rows; ++i) {
    const auto index = static_cast<size_t>(i);
    const MmaProgress progress =
        index < t.state.mma_progress.size() ? t.state.mma_progress[index] : MmaProgress::to_do;
    grid.cells.push_back(progress == MmaProgress::done  ? 0
                         : progress == MmaProgress::now ? kCellNow
                                                        : kCellDim);
  }
  grid.pick_mode = CellPick::mma;
  grid.pick.kind = Pick::Kind::mma;
  grid.pick.level = Level::warp;
  grid.pick.matrix = 2;
  grid.pick.warp = t.selection.warp;
  grid.pick.mma_m = grid.pick.mma_n = 0;
  const CellGrid looks = grid;
  b.cells(std::move(grid));
  const std::string widest =
      std::to_string(looks.rows - 1) + "," + std::to_string(looks.columns - 1);
  const Box first = cell_box(looks, 0, 0);
  if (first.h >= 16 && b.width(widest, 10) + 6 <= first.w) {
    for (int row = 0; row < looks.rows; ++row) {
      for (int col = 0; col < looks.columns; ++col) {
        const Box box = cell_box(looks, row, col);
        const uint32_t cell = looks.cells[static_cast<size_t>(row * looks.columns + col)];
        b.text(box.x + box.w / 2, box.y + box.h / 2,
               std::to_string(row) + "," + std::to_string(col),
               {ink_on(cell_color(looks, cell, colors)), 10, Weight::regular, Align::center});
      }
    }
  }
  b.rect(p.c, {}, fade(colors.c, 0.8f));
}

}  // namespace

void draw_level(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  const bool atoms = t.table.lanes_share_atoms();
  if (!(atoms && p.level == Level::atom)) draw_operands(b, t, p);
  switch (p.level) {
    case Level::grid:
      draw_grid_cells(b, t, p);
      break;
    case Level::cta:
      draw_cta_warps(b, t, p);
      break;
    case Level::warp:
      atoms ? draw_warp_mmas(b, t, p) : draw_thread_cells(b, t, p, t.selection.warp * 32, 32);
      break;
    case Level::atom:
      atoms ? draw_mma_cells(b, t, p) : draw_thread_cells(b, t, p, thread_of(t.selection), 1);
      break;
    case Level::lane:  // inside the atom's picture
      break;
  }
  const Problem& problem = t.state.problem;
  hatch_outside(b, problem, Operand::c, p.axes.m, p.axes.n, p.c);
  if (p.level == Level::grid || p.level == Level::cta) return;
  hatch_outside(b, problem, Operand::a, p.axes.m, p.axes.k, p.a);
  hatch_outside(b, problem, Operand::b, p.axes.k, p.axes.n, p.b);
}

void draw_level_selection(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  const int next = static_cast<int>(p.level) + 1;
  if (next >= t.levels) return;
  const bool tiny = p.level == Level::warp && !t.table.lanes_share_atoms();
  for (const Box& box : child_boxes(p, t.axes[static_cast<size_t>(next)])) {
    b.ring({std::round(box.x), std::round(box.y), std::max(2.0f, std::round(box.w)),
            std::max(2.0f, std::round(box.h))},
           tiny ? 1.0f : 2.0f);
  }
}

namespace {

/// The places of some elements in a level's picture; small ones grow to `least` pixels.
template <class Draw>
void each_place(const LevelPicture& p, const std::vector<ElementBox>& elements, float least,
                Draw draw) {
  for (const ElementBox& e : elements) {
    const bool is_a = e.matrix == Operand::a, is_b = e.matrix == Operand::b;
    const Axis& rows = is_b ? p.axes.k : p.axes.m;
    const Axis& cols = is_a ? p.axes.k : p.axes.n;
    const Box& box = is_a ? p.a : is_b ? p.b : p.c;
    for (const Span& r : spans(rows, {e.row, e.rows, {}})) {
      for (const Span& c : spans(cols, {e.col, e.cols, {}})) {
        Box place = part(box, r, rows.count, c, cols.count);
        if (place.w < least) place.x -= (least - place.w) / 2, place.w = least;
        if (place.h < least) place.y -= (least - place.h) / 2, place.h = least;
        draw(place, e.matrix);
      }
    }
  }
}

}  // namespace

void draw_level_lit(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  const Color color = event_color(b.palette(), t.state.lit_by);
  each_place(p, t.state.lit, 3, [&](const Box& place, Operand o) {
    // Cells of lanes and of mma tiles carry colours and numbers of their own.
    const bool cells = p.level == Level::atom || (p.level == Level::warp && o == Operand::c);
    b.rect(place, fade(color, cells ? 0.0f : 0.45f), color, 0, 1.5f);
  });
}

void draw_level_hover(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  const auto ring = [&b](const Box& place, Operand) { b.hover_ring(place); };
  each_place(p, t.state.origins, 3, ring);
  if (t.state.hover) {
    const Palette& colors = b.palette();
    each_place(p, fed_by(t.state.problem, *t.state.hover), 1, [&](const Box& place, Operand o) {
      b.rect(place, fade(colors.select, o == Operand::c ? 0.35f : 0.25f));
    });
    each_place(p, elements_of(t.plan, t.selection, t.moment, *t.state.hover), 3, ring);
  }
}

void draw_level_answer(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  if (p.level != Level::grid) return;
  each_answer(t.state.marks, Pick::Kind::cta, [&](const Pick& pick, AnswerSign sign) {
    Selection s = t.selection;
    s.cta = {pick.cta_row, pick.cta_col};
    for (const Box& box : child_boxes(p, cta_axes(t.plan, s, t.moment))) {
      answer_sign(b,
                  {std::round(box.x), std::round(box.y), std::max(2.0f, std::round(box.w)),
                   std::max(2.0f, std::round(box.h))},
                  sign);
    }
  });
}

}  // namespace tilescope::viz
