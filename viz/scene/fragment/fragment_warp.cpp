// The warp tile tab: the warp tile of C in atoms, and the whole slices of A and B that its k loop
// walks along, the present k step in full colour.
#include <algorithm>
#include <cmath>

#include "viz/scene/fragment/fragment_parts.h"

namespace tilescope::viz {
namespace {

/// Who, its tiles, and where its k loop is.
void draw_heading(SceneBuilder& b, const FragmentContext& f, const LevelAxes& axes, Size size) {
  const Palette& p = b.palette();
  const KernelPlan& plan = f.plan;
  const std::string who =
      plan.warps_per_atom() > 1 ? tr("warpgroup") : wording("warp {}", f.selection.warp);
  const float named = b.text(8, 10, who, {p.text, 12, Weight::semibold});
  b.text(8 + named + 8, 10,
         wording("{}×{} mma tiles, rows {}, cols {}; k step {} of {}: k {}", mmas_m(plan),
                 mmas_n(plan), axis_text(axes.m), axis_text(axes.n), f.moment.k_step + 1,
                 k_steps(plan), axis_text(axes.k)),
         {p.dim, 12, Weight::regular, Align::left, size.w - named - 24});
}

}  // namespace

void draw_warp_tile_tab(SceneBuilder& b, const FragmentContext& f, Size size) {
  if (!hierarchy_of(f.plan).lanes_share_atoms()) return draw_thread_tile_tab(b, f, size);
  const Palette& p = b.palette();
  const KernelPlan& plan = f.plan;
  const MmaAtom& atom = plan.atom;
  const LevelAxes axes = warp_axes(plan, f.selection, f.moment);
  const int rows = mmas_m(plan), cols = mmas_n(plan), steps = k_steps(plan);
  const int threads = f.atom_threads();
  const float w = size.w - 40, h = size.h - 66;
  // A slice deeper than twice the tile would leave C too small: then it is drawn narrower.
  const float depth = static_cast<float>(plan.block_k);
  const float share =
      std::min(1.0f, static_cast<float>(std::max(plan.warp_m, plan.warp_n)) / depth);
  const auto all_cols = static_cast<float>(plan.warp_n) + depth * share,
             all_rows = static_cast<float>(plan.warp_m) + depth * share;
  float scale = std::min({w / all_cols, h / all_rows, 16.0f});
  if (scale >= 2) scale = std::floor(scale);
  const float k_scale = scale * share, k = depth * k_scale;
  const Box c{16 + k + 8, 34 + k + 6, static_cast<float>(plan.warp_n) * scale,
              static_cast<float>(plan.warp_m) * scale};
  draw_heading(b, f, axes, size);
  std::vector<Box> rings;
  const int lane = f.atom_lane();
  const auto side = [&](const FragmentLayout& layout, Operand o, Coord tile, Coord at, Box box,
                        bool now) {
    if (atom.in_shared(o)) {
      operand_box(b, box, o, now ? 0.4f : 0.14f);
      return;
    }
    CellGrid grid = fragment_grid(atom, layout, o, at, box, lane);
    if (!now) {
      for (uint32_t& cell : grid.cells) cell |= kCellDim;
    }
    grid.strength = 0.8f;
    const float run =
        box.w / static_cast<float>(grid.columns) * static_cast<float>(grid.run_columns);
    grid.line_width = std::min(scale, run) >= 5 ? 1 : 0;
    grid.line = fade(p.panel, 0.6f);
    if (plan.warps_per_atom() == 1) grid.pick.warp = f.selection.warp;
    grid.pick.mma_m = tile.row, grid.pick.mma_n = tile.col;
    if (now) {
      for (const Box& ring : lane_boxes(grid, lane, threads)) rings.push_back(ring);
    }
    b.cells(std::move(grid));
    b.rect(box, {}, p.panel);
  };
  const float tile_h = static_cast<float>(atom.m) * scale,
              tile_w = static_cast<float>(atom.n) * scale;
  const float step_size = static_cast<float>(atom.k) * k_scale;
  const auto y_of = [&](int i) { return c.y + static_cast<float>(i) * tile_h; };
  const auto x_of = [&](int j) { return c.x + static_cast<float>(j) * tile_w; };
  const int first_k = axes.k.first - f.moment.k_step * atom.k;
  for (int step = 0; step < steps; ++step) {
    const bool now = step == f.moment.k_step;
    const float along = static_cast<float>(step) * step_size;
    const int at_k = first_k + step * atom.k;
    for (int i = 0; i < rows; ++i) {
      side(atom.a, Operand::a, {i, -1}, {axes.m.first + mma_origin(plan, i, 0).row, at_k},
           {16 + along, y_of(i), step_size, tile_h}, now);
    }
    for (int j = 0; j < cols; ++j) {
      side(atom.b, Operand::b, {-1, j}, {at_k, axes.n.first + mma_origin(plan, 0, j).col},
           {x_of(j), 34 + along, tile_w, step_size}, now);
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      const Coord origin = mma_origin(plan, i, j);
      side(atom.d, Operand::c, {i, j}, {axes.m.first + origin.row, axes.n.first + origin.col},
           {x_of(j), y_of(i), tile_w, tile_h}, true);
    }
  }
  const Axis slice{first_k, plan.block_k, {}};
  hatch_outside(b, f.state.problem, Operand::a, axes.m, slice, {16, c.y, k, c.h});
  hatch_outside(b, f.state.problem, Operand::b, slice, axes.n, {c.x, 34, c.w, k});
  hatch_outside(b, f.state.problem, Operand::c, axes.m, axes.n, c);
  if (scale >= 4) {
    for (const Box& ring : rings) b.hover_ring(ring);
  }
  // The k step that every atom of the tile multiplies now.
  const float along = static_cast<float>(f.moment.k_step) * step_size;
  b.dashed({16 + along - 2, c.y - 2, step_size + 3, c.h + 3}, p.accent);
  b.dashed({c.x - 2, 34 + along - 2, c.w + 3, step_size + 3}, p.accent);
  b.ring({x_of(f.selection.mma_n), y_of(f.selection.mma_m), tile_w, tile_h});
  b.text(16, c.y - 10, "A", {p.a_text, 12, Weight::semibold});
  b.text(c.x - 10, 40, "B", {p.b_text, 12, Weight::semibold, Align::center});
  b.text(16, size.h - 10,
         wording("ringed: lane {} and mma {},{}; dashed: the present k step", f.selection.lane,
                 f.selection.mma_m, f.selection.mma_n),
         {p.dim, 11, Weight::regular, Align::left, size.w - 24});
}

}  // namespace tilescope::viz
