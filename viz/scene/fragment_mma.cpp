// The mma tab: A left of C, B above C, the registers of the chosen lane in the free corner.
#include <algorithm>
#include <cmath>

#include "viz/scene/fragment_parts.h"

namespace tilescope::viz {
namespace {

constexpr float kLabels = 16;  // row numbers left of A
constexpr float kColumnLabels = 13;
constexpr float kPad = 6;      // left and right
constexpr float kBottom = 18;  // the legend

struct Picture {
  float cw = 0, ch = 0;
  bool values_in_cells = true;  // T# and V#; else V# stands in the margin
  float label_size = 9;
  Box a, b, c;
};

Picture place(const MmaAtom& atom, Size size) {
  Picture p;
  const auto columns = static_cast<float>(atom.k + atom.n),
             rows = static_cast<float>(atom.k + atom.m);
  const float gap = size.w > 600 ? 8.0f : 6.0f;
  p.ch = std::floor((size.h - kColumnLabels - kBottom - gap - 5) / rows);
  p.cw = std::floor((size.w - 2 * kPad - kLabels - gap) / columns);
  p.ch = std::clamp(p.ch, 4.0f, 32.0f);
  p.cw = std::clamp(p.cw, 4.0f, 44.0f);
  p.ch = std::min(p.ch, std::max(4.0f, std::floor(p.cw * 1.05f)));
  p.cw = std::min(p.cw, std::floor(p.ch * 1.5f));
  p.values_in_cells = p.cw >= 18 && p.ch >= 17;
  if (!p.values_in_cells) {  // room for V# above and below
    p.ch = std::clamp(std::floor((size.h - kColumnLabels - kBottom - gap - 16) / rows), 4.0f, p.ch);
    p.cw = std::min(p.cw, std::max(p.ch + 3, std::floor(p.ch * 1.5f)));
  }
  p.label_size =
      p.values_in_cells
          ? std::clamp(std::floor(std::min(p.ch * 0.475f, p.cw * 0.5f) * 2) / 2, 9.0f, 14.0f)
          : 9.0f;
  const float k = static_cast<float>(atom.k), m = static_cast<float>(atom.m),
              n = static_cast<float>(atom.n);
  const float total = kLabels + k * p.cw + gap + n * p.cw;
  const float left = std::max(kPad, std::floor((size.w - total) / 2));
  const float ax = left + kLabels, cx = ax + k * p.cw + gap;
  const float by = kColumnLabels, ay = by + k * p.ch + gap + (p.values_in_cells ? 4 : 12);
  p.a = {ax, ay, k * p.cw, m * p.ch};
  p.b = {cx, by, n * p.cw, k * p.ch};
  p.c = {cx, ay, n * p.cw, m * p.ch};
  return p;
}

/// V# of each quarter in the margin, where the cells are too small to carry it.
void margin_values(SceneBuilder& b, const FragmentLayout& f, const CellGrid& grid, bool beside) {
  const Palette& p = b.palette();
  const int step = grid.run_columns * grid.run_rows;
  const TextStyle style{p.dim, 10, Weight::regular, Align::right};
  for (int v = 0; v < f.values(); v += step) {
    const Coord at = value_coord(f, v);
    const Box cell = cell_box(grid, at.row, at.col);
    if (beside) {  // values below one another, left of the rows they start at
      for (int i = 0; i < step; ++i) {
        b.text(grid.box.x - 5, cell.y + 4 * cell.h + (static_cast<float>(i) * 2 - 1) * 6,
               "V" + std::to_string(v + i), style);
      }
      continue;
    }
    std::string names;
    for (int i = 0; i < step; ++i) names += (i > 0 ? " V" : "V") + std::to_string(v + i);
    const bool low = at.row > 0;
    const float right = cell.x + cell.w * std::min(8.0f, static_cast<float>(f.cols)) - 2;
    b.text(right, low ? grid.box.bottom() + 9 : grid.box.y - 9, names, style);
  }
}

void axis_numbers(SceneBuilder& b, const Picture& p, const MmaAtom& atom) {
  const TextStyle right{b.palette().dim, 9, Weight::regular, Align::right};
  const TextStyle center{b.palette().dim, 9, Weight::regular, Align::center};
  const int step = p.ch >= 10 ? (p.values_in_cells ? 1 : 2) : 4;
  for (int i = 0; i < atom.m; i += step) {
    b.text(p.a.x - 5, p.a.y + (static_cast<float>(i) + 0.5f) * p.ch - 0.5f, std::to_string(i),
           right);
  }
  for (int i = 0; i < atom.n; ++i) {
    b.text(p.b.x + (static_cast<float>(i) + 0.5f) * p.cw - 0.5f, p.b.y - 7, std::to_string(i),
           center);
  }
}

/// What sticks out of the matrix is read as zero and never stored: hatched.
void draw_outside(SceneBuilder& b, const FragmentContext& f, Operand o, Coord origin, Box box,
                  const Picture& p) {
  const auto rows = static_cast<float>(operand_rows(f.state.problem, o) - origin.row);
  const auto cols = static_cast<float>(operand_cols(f.state.problem, o) - origin.col);
  const Color ground = fade(b.palette().panel, 0.7f), lines = fade(b.palette().dim, 0.5f);
  const float y = std::clamp(box.y + rows * p.ch, box.y, box.bottom());
  const float x = std::clamp(box.x + cols * p.cw, box.x, box.right());
  if (y < box.bottom()) b.hatch({box.x, y, box.w, box.bottom() - y}, ground, lines);
  if (x < box.right() && y > box.y) b.hatch({x, box.y, box.right() - x, y - box.y}, ground, lines);
}

/// The row of A and the column of B behind the chosen output, dashed and joined at it.
void output_behind(SceneBuilder& b, const Picture& p, Coord at) {
  const Color accent = b.palette().accent;
  const auto row = static_cast<float>(at.row), col = static_cast<float>(at.col);
  b.dashed({p.a.x - 2, p.a.y + row * p.ch - 2, p.a.w + 3, p.ch + 3}, accent);
  b.dashed({p.b.x + col * p.cw - 2, p.b.y - 2, p.cw + 3, p.b.h + 3}, accent);
  const float x = std::round(p.c.x + (col + 0.5f) * p.cw - 1);
  const float y = std::round(p.c.y + (row + 0.5f) * p.ch - 1);
  b.line({x, p.b.bottom() + 2}, {x, p.c.y - 1}, accent);
  b.line({p.a.right() + 1, y}, {p.c.x - 1, y}, accent);
}

void operand_names(SceneBuilder& b, const Picture& p, const FragmentContext& f) {
  const Palette& colors = b.palette();
  const MmaAtom& atom = f.plan.atom;
  const std::string mk = std::to_string(atom.m) + "×" + std::to_string(atom.k);
  const std::string mn = std::to_string(atom.m) + "×" + std::to_string(atom.n);
  b.text(p.a.x, p.a.y - 9, "A", {colors.a_text, 12, Weight::semibold});
  if (p.values_in_cells) {
    const std::string where = mk + ", rows " + axis_text(f.axes.m) + ", k " + axis_text(f.axes.k);
    b.text(p.a.x + 13, p.a.y - 9, where,
           {colors.dim, 11, Weight::regular, Align::left, p.a.w - 16});
  }
  b.text(p.b.x - 6, p.b.y - 7, "B", {colors.b_text, 12, Weight::semibold, Align::right});
  const float y = p.a.bottom() + (p.values_in_cells ? 11 : 10);
  const std::string legend =
      p.values_in_cells ? "T lane, V value in the lane, corner tick: lane % 4" : "T = lane";
  const float right = p.c.right();
  const TextRun c_name{"C", colors.c_text, Weight::semibold}, c_size{"  " + mn, colors.dim};
  const float c_width = b.runs_width({c_name, c_size}, 11.5f);
  if (p.values_in_cells) b.runs(right - c_width, y, {c_name, c_size}, 11.5f);
  const float room = p.values_in_cells ? right - c_width - p.a.x - 12 : p.a.w / 2 - 44;
  b.text(p.a.x, y, legend, {colors.dim, 11, Weight::regular, Align::left, room});
}

/// The sum that the chosen output accumulates, in the matrices' own indices.
void output_sum(SceneBuilder& b, const FragmentContext& f, float x, float y, float width) {
  const Palette& p = b.palette();
  const MmaAtom& atom = f.plan.atom;
  const Coord at = fragment_coord(atom.c, f.selection.lane, f.selection.output);
  const int reg = f.selection.output / atom.c.values_per_register;
  b.runs(x, y,
         {{"c" + std::to_string(reg), p.text, Weight::mono_semibold},
          {" += Σ ", p.dim, Weight::mono},
          {"A[" + std::to_string(f.axes.m.first + at.row) + ", k]", p.a_text, Weight::mono},
          {" · ", p.dim, Weight::mono},
          {"B[k, " + std::to_string(f.axes.n.first + at.col) + "]", p.b_text, Weight::mono},
          {", k " + axis_text(f.axes.k), p.dim, Weight::mono}},
         11, width);
}

}  // namespace

void draw_mma_tab(SceneBuilder& b, const FragmentContext& f, Size size) {
  const MmaAtom& atom = f.plan.atom;
  const Picture p = place(atom, size);
  const int lane = f.selection.lane, hovered = hovered_lane(f.state.hover);

  struct Side {
    const FragmentLayout& layout;
    Operand operand;
    Box box;
    Coord origin;
  };
  const Side sides[] = {
      {atom.a, Operand::a, p.a, {f.axes.m.first, f.axes.k.first}},
      {atom.b, Operand::b, p.b, {f.axes.k.first, f.axes.n.first}},
      {atom.c, Operand::c, p.c, {f.axes.m.first, f.axes.n.first}},
  };
  std::vector<Box> rings, hovers;
  for (const Side& side : sides) {
    CellGrid grid = fragment_grid(side.layout, side.operand, side.origin, side.box, lane);
    grid.strength = 0.92f;
    grid.ticks = true;
    grid.labels = p.values_in_cells ? CellLabels::thread_value : CellLabels::thread;
    grid.label_size = p.label_size;
    grid.pick.warp = f.selection.warp;
    grid.pick.mma_m = f.selection.mma_m, grid.pick.mma_n = f.selection.mma_n;
    for (const Box& box : lane_boxes(grid, lane)) rings.push_back(box);
    if (hovered >= 0 && hovered != lane) {
      for (const Box& box : lane_boxes(grid, hovered)) hovers.push_back(box);
    }
    if (!p.values_in_cells) margin_values(b, side.layout, grid, side.operand == Operand::b);
    b.cells(std::move(grid));
  }
  for (const Side& side : sides) draw_outside(b, f, side.operand, side.origin, side.box, p);
  axis_numbers(b, p, atom);
  output_behind(b, p, fragment_coord(atom.c, lane, f.selection.output));
  for (const Box& box : hovers) b.hover_ring(box);
  for (const Box& box : rings) b.cell_ring(box, p.values_in_cells);
  // The hovered element, here if it is in this tile, wherever it is hovered.
  if (f.state.hover && f.state.hover->kind == Pick::Kind::element) {
    for (const Side& side : sides) {
      const int row = f.state.hover->row - side.origin.row,
                col = f.state.hover->col - side.origin.col;
      if (f.state.hover->matrix != static_cast<int>(side.operand) || row < 0 || col < 0 ||
          row >= side.layout.rows || col >= side.layout.cols) {
        continue;
      }
      b.hover_ring({side.box.x + static_cast<float>(col) * p.cw,
                    side.box.y + static_cast<float>(row) * p.ch, p.cw - 1, p.ch - 1});
    }
  }
  operand_names(b, p, f);

  const bool small = !p.values_in_cells;
  const float margin = small ? 26.0f : 14.0f;
  const Box corner{p.a.x, p.b.y - 8, p.a.w - margin, p.a.y - 18 - (p.b.y - 8)};
  const float end = draw_mma_registers(b, f, corner, small);
  if (end + 20 < corner.bottom()) output_sum(b, f, corner.x, end + 10, p.a.w - 8);
}

}  // namespace tilescope::viz
