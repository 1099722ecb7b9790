// The Fragment panel of a kernel without matrix instructions: one thread's tile of C, the column of
// A and the row of B that it multiplies, and where the warp's lanes lie.
#include <algorithm>
#include <cmath>

#include "viz/scene/fragment/fragment_parts.h"

#include "core/layout/thread_elements.h"
namespace tilescope::viz {
namespace {

int index_in(const Axis& axis, int value) {
  const std::vector<Span> found = spans(axis, {value, 1, {}});
  return found.empty() ? -1 : found.front().from;
}

/// Gaps between the runs of a list show that the indices jump there.
void axis_labels(SceneBuilder& b, const LevelAxes& axes, Box c, float row_x, float col_y) {
  const Palette& p = b.palette();
  const float cw = c.w / static_cast<float>(axes.n.count),
              ch = c.h / static_cast<float>(axes.m.count);
  constexpr float kLine = 11;  // of text of size 9
  const bool all_rows = ch >= kLine, all_cols = b.width(std::to_string(axes.n.last()), 9) + 3 <= cw;
  // Where neighbours are not side by side each begins a run: those that have room are named.
  float free_y = c.y - kLine, free_x = c.x - 1;
  for (int i = 0; i < axes.m.count; ++i) {
    const bool start = i == 0 || axes.m.at(i) != axes.m.at(i - 1) + 1;
    const float y = c.y + (static_cast<float>(i) + 0.5f) * ch - 0.5f;
    if ((!all_rows && !start) || y < free_y) continue;
    b.text(row_x, y, std::to_string(axes.m.at(i)), {p.dim, 9, Weight::regular, Align::right});
    free_y = y + kLine;
  }
  for (int i = 0; i < axes.n.count; ++i) {
    const bool start = i == 0 || axes.n.at(i) != axes.n.at(i - 1) + 1;
    const std::string name = std::to_string(axes.n.at(i));
    const float x = c.x + static_cast<float>(i) * cw;
    if (all_cols) {
      b.text(x + 0.5f * cw, col_y, name, {p.dim, 9, Weight::regular, Align::center});
    } else if (start && x >= free_x) {
      b.text(x, col_y, name, {p.dim, 9});
      free_x = x + b.width(name, 9) + 3;
    }
  }
}

void break_marks(SceneBuilder& b, const LevelAxes& axes, Box c) {
  const Color line = b.palette().text;
  const float cw = c.w / static_cast<float>(axes.n.count),
              ch = c.h / static_cast<float>(axes.m.count);
  for (int i = 1; i < axes.m.count; ++i) {
    if (axes.m.at(i) == axes.m.at(i - 1) + 1) continue;
    const float y = std::round(c.y + static_cast<float>(i) * ch) - 1;
    b.line({c.x - 3, y}, {c.right() + 2, y}, line, 1, {3, 2});
  }
  for (int i = 1; i < axes.n.count; ++i) {
    if (axes.n.at(i) == axes.n.at(i - 1) + 1) continue;
    const float x = std::round(c.x + static_cast<float>(i) * cw) - 1;
    b.line({x, c.y - 3}, {x, c.bottom() + 2}, line, 1, {3, 2});
  }
}

void operand_cells(SceneBuilder& b, const Axis& rows, const Axis& cols, Box box, Operand o,
                   int strong) {
  CellGrid grid;
  grid.box = box;
  grid.rows = rows.count, grid.columns = cols.count;
  grid.color = CellColor::solid;
  grid.base = operand_color(b.palette(), o);
  grid.strength = 0.45f, grid.strong = 0.95f;
  for (int i = 0; i < rows.count * cols.count; ++i)
    grid.cells.push_back(i == strong ? kCellStrong : 0);
  grid.pick_mode = CellPick::element;
  grid.pick.kind = Pick::Kind::element, grid.pick.level = Level::atom;
  grid.pick.matrix = static_cast<int8_t>(o);
  grid.pick.row = rows.first, grid.pick.col = cols.first;
  grid.pick_row_list = rows.list, grid.pick_col_list = cols.list;
  b.cells(std::move(grid));
}

struct Places {
  Box a, b, c, warp;
  bool warp_beside = false;
};

Places place(const LevelAxes& tile, const LevelAxes& warp, Box area) {
  Places p;
  const auto rows = static_cast<float>(tile.m.count), cols = static_cast<float>(tile.n.count);
  const auto warp_rows = static_cast<float>(warp.m.count),
             warp_cols = static_cast<float>(warp.n.count);
  constexpr float kRowLabels = 40, kGap = 6;
  p.warp_beside = warp_rows > warp_cols;
  Box room = area;
  const float share = p.warp_beside ? std::clamp(area.w * 0.3f, 90.0f, 320.0f)
                                    : std::clamp(area.h * 0.3f, 70.0f, 260.0f);
  (p.warp_beside ? room.w : room.h) -= share + 24;
  const float cw = std::clamp(std::floor((room.w - kRowLabels - kGap) / (cols + 1)), 5.0f, 46.0f);
  const float ch =
      std::clamp(std::floor((room.h - 20 - kGap) / (rows + 1)), 5.0f, std::min(34.0f, cw));
  const float width = std::min(cw, ch * 1.6f), operand = std::max(16.0f, std::max(width, ch));
  const float x = area.x + kRowLabels, y = area.y + 16;
  p.c = {x + operand + kGap, y + std::max(14.0f, ch) + kGap, cols * width, rows * ch};
  p.a = {x, p.c.y, operand, p.c.h};
  p.b = {p.c.x, y, p.c.w, std::max(14.0f, ch)};
  if (p.warp_beside) {
    const float scale =
        std::min({(area.bottom() - p.b.y - 18) / warp_rows, (share - 40) / warp_cols, 24.0f});
    p.warp = {area.right() - share + 36, p.b.y + 8, std::max(36.0f, warp_cols * scale),
              warp_rows * scale};
  } else {
    const float top = p.c.bottom() + 34;
    const float scale =
        std::min({(area.w - kRowLabels) / warp_cols, (area.bottom() - top) / warp_rows, 20.0f});
    p.warp = {x, top, warp_cols * scale, warp_rows * scale};
  }
  return p;
}

/// What is added to the chosen output in this k step; nothing, where C or k ends before it.
void draw_sum(SceneBuilder& b, const FragmentContext& f, Coord out, float x, float y, float width) {
  const Palette& p = b.palette();
  const Problem& problem = f.state.problem;
  const int k = f.axes.k.first;
  const std::string name = "c" + std::to_string(f.selection.output);
  if (!inside(problem, Operand::c, out)) {
    b.runs(x, y,
           {{name, p.dim, Weight::mono_semibold},
            {" = ", p.dim, Weight::mono},
            {element_text(Operand::c, out), p.dim, Weight::mono},
            {wording(", outside C of {}×{}: never stored", grouped(problem.m), grouped(problem.n)),
             p.dim}},
           11, width);
    return;
  }
  std::vector<TextRun> runs = {{name, p.text, Weight::mono_semibold},
                               {" = ", p.dim, Weight::mono},
                               {element_text(Operand::c, out), p.c_text, Weight::mono}};
  if (k >= problem.k) {
    runs.push_back(
        {wording(", k {} is outside K of {}: adds 0", grouped(k), grouped(problem.k)), p.dim});
  } else {
    runs.insert(runs.end(), {{" += ", p.dim, Weight::mono},
                             {"A[" + std::to_string(out.row) + ", k]", p.a_text, Weight::mono},
                             {" · ", p.dim, Weight::mono},
                             {"B[k, " + std::to_string(out.col) + "]", p.b_text, Weight::mono},
                             {", k " + std::to_string(k), p.dim, Weight::mono}});
  }
  b.runs(x, y, runs, 11, width);
}

}  // namespace

void draw_thread_tile_tab(SceneBuilder& b, const FragmentContext& f, Size size) {
  const Palette& p = b.palette();
  const KernelPlan& plan = f.plan;
  const int lanes = std::min(32, plan.threads - f.selection.warp * 32);
  const int thread = thread_of(f.selection);
  const float pad = 8, width = size.w - 2 * pad;
  const float named =
      b.text(pad, 10, wording("lane {}", f.selection.lane), {p.text, 12, Weight::semibold});
  b.text(pad + named + 8, 10,
         wording("warp {}, thread {} of {}", f.selection.warp, thread, plan.threads),
         {p.dim, 12, Weight::regular, Align::left, width - named - 8});
  const float strip = size.h >= 420 ? 18.0f : 14.0f;
  lane_strip(b, {pad, 20, std::min(width, 640.0f), 2 * strip}, 2, f.selection.lane,
             f.state.hover ? std::optional<int>(f.state.hover->lane) : std::nullopt, lanes);

  const LevelAxes& axes = f.axes;
  const LevelAxes warp = warp_axes(plan, f.selection, f.moment);
  const float top = 20 + 2 * strip + 24;
  const Places at = place(axes, warp, {pad, top + 12, width, size.h - top - 12 - 26});
  const FragmentLayout& tile = plan.atom.c;
  const Coord origin = block_origin(plan, f.selection.cta);
  const Coord out = origin + thread_element(plan, thread, f.selection.output);
  const int out_row = index_in(axes.m, out.row), out_col = index_in(axes.n, out.col);

  draw_sum(b, f, out, pad, top, width);

  operand_cells(b, axes.m, axes.k, at.a, Operand::a, out_row);
  operand_cells(b, axes.k, axes.n, at.b, Operand::b, out_col);
  CellGrid grid = thread_grid(plan, f.selection, axes, thread, 1, at.c);
  grid.strong = 0.9f;
  const float cell =
      std::min(at.c.w / static_cast<float>(grid.columns), at.c.h / static_cast<float>(grid.rows));
  grid.labels = CellLabels::value;
  grid.label_size = cell >= 22 ? 10.0f : 9.0f;
  b.cells(grid);
  break_marks(b, axes, at.c);
  axis_labels(b, axes, at.c, at.a.x - 5, at.b.y - 8);
  hatch_outside(b, f.state.problem, Operand::a, axes.m, axes.k, at.a);
  hatch_outside(b, f.state.problem, Operand::b, axes.k, axes.n, at.b);
  hatch_outside(b, f.state.problem, Operand::c, axes.m, axes.n, at.c);
  const Box chosen = cell_box(grid, out_row, out_col);
  b.dashed({at.a.x - 2, chosen.y - 2, at.a.w + 3, chosen.h + 3}, p.accent);
  b.dashed({chosen.x - 2, at.b.y - 2, chosen.w + 3, at.b.h + 3}, p.accent);
  b.cell_ring({chosen.x, chosen.y, chosen.w - 1, chosen.h - 1}, true);
  b.text(at.a.x, at.b.y + at.b.h / 2, "A", {p.a_text, 12, Weight::semibold});
  b.text(at.c.x - 9, at.b.y + 4, "B", {p.b_text, 12, Weight::semibold, Align::center});

  // The warp: who lies where.
  CellGrid lanes_grid = thread_grid(plan, f.selection, warp, f.selection.warp * 32, 32, at.warp);
  const Run run = fragment_run(tile);
  lanes_grid.run_columns = run.columns, lanes_grid.run_rows = run.rows;
  lanes_grid.strength = 0.85f;
  lanes_grid.labels = CellLabels::thread;
  const float run_w =
      at.warp.w / static_cast<float>(lanes_grid.columns) * static_cast<float>(run.columns);
  const float run_h =
      at.warp.h / static_cast<float>(lanes_grid.rows) * static_cast<float>(run.rows);
  lanes_grid.line_width = std::min(run_w, run_h) >= 4 ? 1 : 0;
  const std::vector<Box> rings = lane_boxes(lanes_grid, f.selection.lane);
  const int hovered = hovered_lane(f.state.hover);
  std::vector<Box> hovers;
  if (hovered >= 0 && hovered != f.selection.lane) hovers = lane_boxes(lanes_grid, hovered);
  b.cells(std::move(lanes_grid));
  hatch_outside(b, f.state.problem, Operand::c, warp.m, warp.n, at.warp);
  break_marks(b, warp, at.warp);
  for (const Box& box : hovers) b.hover_ring(box);
  for (const Box& box : rings) b.cell_ring(box, false);
  const float name_x = at.warp_beside ? at.warp.x - 30 : at.warp.x;
  b.text_that_fits(
      name_x, at.warp.y - 12,
      {wording("warp {}: rows {}, cols {}", f.selection.warp, axis_text(warp.m), axis_text(warp.n)),
       wording("rows {}", axis_text(warp.m)), wording("warp {}", f.selection.warp)},
      {p.dim, 11, Weight::regular, Align::left, size.w - pad - name_x});
  b.text(pad, size.h - 10, "V value in the thread, T lane; dashed: indices jump",
         {p.dim, 11, Weight::regular, Align::left, width});
}

}  // namespace tilescope::viz
