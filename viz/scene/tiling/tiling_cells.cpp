// The lanes' cells in the Tiling scene: of an mma tile, of a SIMT warp, of one thread.
#include <algorithm>

#include "viz/scene/tiling/tiling_parts.h"

namespace tilescope::viz {
namespace {

CellLabels labels_for(const CellGrid& grid) {
  const float w = grid.box.w / static_cast<float>(grid.columns);
  const float h = grid.box.h / static_cast<float>(grid.rows);
  return w >= 19 && h >= 19                                          ? CellLabels::thread_value
         : w * static_cast<float>(grid.run_columns) >= 24 && h >= 12 ? CellLabels::thread
                                                                     : CellLabels::none;
}

}  // namespace

/// The lanes of an mma tile: the Fragment panel's picture without its table.
void draw_mma_cells(SceneBuilder& b, const TilingContext& t, const LevelPicture& p) {
  const MmaAtom& atom = t.plan.atom;
  const LevelAxes& axes = p.axes;
  std::vector<Box> rings, hovers;
  std::vector<SignedBox> signs;
  const int hovered = hovered_lane(t.state.hover);
  const auto side = [&](const FragmentLayout& layout, Operand o, Coord origin, Box box) {
    CellGrid grid = fragment_grid(atom, layout, o, origin, box, t.selection.lane);
    grid.strength = 0.72f;
    grid.line = fade(b.palette().panel, 0.75f);
    grid.labels = labels_for(grid);
    grid.ticks = grid.labels == CellLabels::thread_value;
    grid.pick.warp = t.selection.warp;
    grid.pick.mma_m = t.selection.mma_m, grid.pick.mma_n = t.selection.mma_n;
    for (const Box& ring : lane_boxes(grid, t.selection.lane)) rings.push_back(ring);
    if (hovered >= 0 && hovered != t.selection.lane) {
      for (const Box& ring : lane_boxes(grid, hovered)) hovers.push_back(ring);
    }
    for (const SignedBox& one : lane_signs(t.state.marks, grid, o)) signs.push_back(one);
    b.cells(std::move(grid));
  };
  side(atom.a, Operand::a, {axes.m.first, axes.k.first}, p.a);
  side(atom.b, Operand::b, {axes.k.first, axes.n.first}, p.b);
  side(atom.c, Operand::c, {axes.m.first, axes.n.first}, p.c);
  for (const Box& box : hovers) b.hover_ring(box);
  for (const Box& box : rings) b.cell_ring(box, false);
  for (const SignedBox& one : signs) answer_sign(b, one.box, one.sign);
}

void draw_thread_cells(SceneBuilder& b, const TilingContext& t, const LevelPicture& p,
                       int first_thread, int count) {
  const bool whole_warp = count > 1;
  CellGrid grid = thread_grid(t.plan, t.selection, p.axes, first_thread, count, p.c);
  grid.pick.level = p.level;
  const Run run = fragment_run(t.plan.atom.c);
  grid.run_columns = whole_warp ? run.columns : 1, grid.run_rows = whole_warp ? run.rows : 1;
  grid.strength = whole_warp ? 0.72f : 1.0f;
  grid.line = fade(b.palette().panel, 0.75f);
  const float run_w =
      p.c.w / static_cast<float>(grid.columns) * static_cast<float>(grid.run_columns);
  const float run_h = p.c.h / static_cast<float>(grid.rows) * static_cast<float>(grid.run_rows);
  if (std::min(run_w, run_h) < 4) grid.line_width = 0;
  grid.labels = whole_warp ? CellLabels::thread : CellLabels::value;
  std::vector<Box> hovers;
  const int hovered = hovered_lane(t.state.hover);
  if (whole_warp && hovered >= 0 && hovered != t.selection.lane) hovers = lane_boxes(grid, hovered);
  b.cells(std::move(grid));
  for (const Box& box : hovers) b.hover_ring(box);
}

}  // namespace tilescope::viz
