#include "viz/scene/parts.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include "core/layout/thread_elements.h"

namespace tilescope::viz {

CellGrid fragment_grid(const MmaAtom& atom, const FragmentLayout& fragment, Operand operand,
                       Coord origin, Box box, int lane) {
  CellGrid grid;
  grid.box = box;
  grid.columns = fragment.cols, grid.rows = fragment.rows;
  grid.cells = fragment_cells(fragment);
  const int group = atom_thread(atom, lane).group;
  for (uint32_t& cell : grid.cells) {
    if (cell & kCellEmpty) continue;
    const int holder = atom_lane(atom, cell_thread(cell), group);
    cell = pack_cell(holder, cell_value(cell)) | (holder == lane ? kCellStrong : 0);
  }
  const Run run = fragment_run(fragment);
  grid.run_columns = run.columns, grid.run_rows = run.rows;
  grid.pick_mode = CellPick::element;
  grid.pick.kind = Pick::Kind::element;
  grid.pick.level = Level::atom;
  grid.pick.matrix = static_cast<int8_t>(operand);
  grid.pick.row = origin.row, grid.pick.col = origin.col;
  grid.pick.reg = fragment.values_per_register;
  return grid;
}

CellGrid thread_grid(const KernelPlan& plan, const Selection& selection, const LevelAxes& axes,
                     int first, int count, Box box) {
  // Places of the block tile's rows and columns in the grid, −1 where it does not show them.
  const auto places = [](const Axis& axis, int origin, int extent) {
    std::vector<int> place(static_cast<size_t>(extent), -1);
    for (int i = 0; i < axis.count; ++i) {
      const int at = axis.at(i) - origin;
      if (at >= 0 && at < extent) place[static_cast<size_t>(at)] = i;
    }
    return place;
  };
  const std::vector<int> rows = places(axes.m, selection.cta.row * plan.block_m, plan.block_m);
  const std::vector<int> cols = places(axes.n, selection.cta.col * plan.block_n, plan.block_n);
  CellGrid grid;
  grid.box = box;
  grid.columns = axes.n.count, grid.rows = axes.m.count;
  grid.cells.assign(static_cast<size_t>(grid.columns) * static_cast<size_t>(grid.rows), kCellEmpty);
  for (int thread = first; thread < std::min(first + count, plan.threads); ++thread) {
    const uint32_t state = thread == thread_of(selection) ? kCellStrong : 0;
    for (int v = 0; v < thread_elements(plan); ++v) {
      const Coord at = thread_element(plan, thread, v);
      const int row = rows[static_cast<size_t>(at.row)], col = cols[static_cast<size_t>(at.col)];
      if (row < 0 || col < 0) continue;
      grid.cells[static_cast<size_t>(row) * static_cast<size_t>(grid.columns) +
                 static_cast<size_t>(col)] = pack_cell(thread, v) | state;
    }
  }
  grid.pick_mode = CellPick::element;
  grid.pick.kind = Pick::Kind::element, grid.pick.level = Level::atom;
  grid.pick.matrix = 2, grid.pick.reg = 1;
  grid.pick.row = axes.m.first, grid.pick.col = axes.n.first;
  grid.pick_row_list = axes.m.list, grid.pick_col_list = axes.n.list;
  return grid;
}

std::vector<Box> lane_boxes(const CellGrid& grid, int lane, int threads) {
  std::vector<Box> boxes;
  for (int row = 0; row < grid.rows; row += grid.run_rows) {
    for (int col = 0; col < grid.columns; col += grid.run_columns) {
      const uint32_t cell =
          grid.cells[static_cast<size_t>(row) * static_cast<size_t>(grid.columns) +
                     static_cast<size_t>(col)];
      if ((cell & kCellEmpty) || cell_thread(cell) % threads != lane) continue;
      const Box first = cell_box(grid, row, col);
      const Box last = cell_box(grid, std::min(row + grid.run_rows, grid.rows) - 1,
                                std::min(col + grid.run_columns, grid.columns) - 1);
      boxes.push_back({first.x, first.y, last.right() - first.x - grid.line_width,
                       last.bottom() - first.y - grid.line_width});
    }
  }
  return boxes;
}

void operand_box(SceneBuilder& b, Box box, Operand operand, float ground, float edge) {
  const Color color = operand_color(b.palette(), operand);
  b.rect(box, fade(color, ground), fade(color, edge));
}

void section_head(SceneBuilder& b, float x, float y, float w, std::string_view label,
                  std::string_view right, Color right_color, Weight right_weight) {
  const Palette& p = b.palette();
  std::string capitals(translated(label));
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  float right_width = b.width(right, 11, right_weight);
  const float left_width = b.text(x, y, capitals, {p.dim, 11, Weight::semibold, Align::left, w});
  if (left_width + right_width + 16 > w) right_width = std::max(0.0f, w - left_width - 16);
  if (!right.empty() && right_width > 20) {
    b.text(x + w, y, right, {right_color, 11, right_weight, Align::right, right_width + 0.5f});
  }
  const float from = x + left_width + 8, to = x + w - (right.empty() ? 0 : right_width + 8);
  if (to > from) b.line({from, std::round(y)}, {to, std::round(y)}, p.border);
}

void lane_strip(SceneBuilder& b, Box box, int rows, int lane, std::optional<int> hovered, int lanes,
                const AnswerMarks& marks) {
  const int columns = (lanes + rows - 1) / rows;
  const float cw = box.w / static_cast<float>(columns), ch = box.h / static_cast<float>(rows);
  const auto cell = [&](int l) {
    const float x0 = std::round(box.x + static_cast<float>(l % columns) * cw);
    const float x1 = std::round(box.x + static_cast<float>(l % columns + 1) * cw);
    const int row = l / columns;
    const float y0 = std::round(box.y + static_cast<float>(row) * ch);
    return Box{x0, y0, x1 - x0 - 1, std::round(ch) - 1};
  };
  const float size = ch >= 20 ? 11.0f : ch >= 16 ? 10.0f : 9.0f;
  for (int l = 0; l < lanes; ++l) {
    const Box at = cell(l);
    const Color fill = b.palette().lane(l, l == lane ? 1.0f : 0.8f);
    b.rect(at, fill);
    Pick p;
    p.kind = Pick::Kind::lane, p.level = Level::atom, p.lane = l;
    b.pickable(p);
    if (b.width("31", size) + 1 <= at.w && at.h >= size) {
      b.text(at.x + at.w / 2, at.y + at.h / 2, std::to_string(l),
             {ink_on(fill), size, l == lane ? Weight::semibold : Weight::regular, Align::center});
    }
  }
  if (hovered && *hovered >= 0 && *hovered < lanes) b.hover_ring(cell(*hovered));
  if (lane >= 0 && lane < lanes) b.ring(cell(lane));
  each_answer(marks, Pick::Kind::lane, [&](const Pick& pick, AnswerSign sign) {
    if (pick.lane >= 0 && pick.lane < lanes) answer_sign(b, cell(pick.lane), sign);
  });
}

void hatch_outside(SceneBuilder& b, const Problem& problem, Operand matrix, const Axis& rows,
                   const Axis& cols, Box box) {
  const auto part_inside = [](const Axis& axis, int extent) {  // indices ascend
    int n = 0;
    while (n < axis.count && axis.at(n) < extent) ++n;
    return static_cast<float>(n) / static_cast<float>(std::max(1, axis.count));
  };
  const Color ground = fade(b.palette().panel, 0.7f), lines = fade(b.palette().dim, 0.5f);
  const float y = box.y + box.h * part_inside(rows, operand_rows(problem, matrix));
  const float x = box.x + box.w * part_inside(cols, operand_cols(problem, matrix));
  if (y < box.bottom()) b.hatch({box.x, y, box.w, box.bottom() - y}, ground, lines);
  if (x < box.right() && y > box.y) b.hatch({x, box.y, box.right() - x, y - box.y}, ground, lines);
}

}  // namespace tilescope::viz
