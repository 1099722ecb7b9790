// The mma tab: A left of C, B above C, the registers of the chosen lane in the free corner, or a
// band of lanes above where an atom is too wide to leave one.
#include <algorithm>
#include <cmath>
#include <set>

#include "viz/scene/fragment/fragment_descriptor.h"
#include "viz/scene/fragment/mma_tab_layout.h"

namespace tilescope::viz {
namespace {

/// One operand as drawn.
struct Side {
  const FragmentLayout& layout;
  Operand operand;
  Box box;
  Coord origin;
  bool held = true;  // false: in shared memory, no lane holds it
};

/// V# of each quarter in the margin, where the cells are too small to carry it. Left out where
/// there are more than four quarters: the tooltip and the registers tell then. True if some stand
/// there.
bool margin_values(SceneBuilder& b, const FragmentLayout& f, const CellGrid& grid, bool beside) {
  const Palette& p = b.palette();
  const int step = grid.run_columns * grid.run_rows;
  if (f.values() / step > 4 || f.copies() > 1) return false;
  std::set<int> rows;
  for (int v = 0; v < f.values(); v += step) rows.insert(value_coord(f, v).row);
  if (!beside && rows.size() > 2) return false;  // there is only above and below
  const TextStyle style{p.dim, 10, Weight::regular, Align::right};
  const auto names_of = [&](int v) {
    std::string names = "V" + std::to_string(v);
    if (step == 2) names += " V" + std::to_string(v + 1);
    if (step > 2) names += "–" + std::to_string(v + step - 1);
    return names;
  };
  for (int v = 0; v < f.values(); v += step) {
    const Coord at = value_coord(f, v);
    const Box cell = cell_box(grid, at.row, at.col);
    if (beside) {  // values below one another, left of the rows they start at
      const float block = grid.box.h * static_cast<float>(step) / static_cast<float>(f.values());
      if (step == 2) {
        for (int i = 0; i < step; ++i) {
          b.text(grid.box.x - 5, cell.y + block / 2 + (static_cast<float>(i) * 2 - 1) * 6,
                 "V" + std::to_string(v + i), style);
        }
      } else {
        b.text(grid.box.x - 5, cell.y + block / 2, names_of(v), style);
      }
      continue;
    }
    const std::string names = names_of(v);
    const bool low = at.row > 0;
    const float quarter =
        grid.box.w / static_cast<float>(std::max(1, f.cols / (4 * grid.run_columns)));
    const float right = std::min(cell.x + quarter, grid.box.right()) - 2;
    if (b.width(names, 10) + 4 > quarter) continue;
    b.text(right, low ? grid.box.bottom() + 9 : grid.box.y - 9, names, style);
  }
  return true;
}

void axis_numbers(SceneBuilder& b, const AtomPicture& p, const MmaAtom& atom, Box seen) {
  const TextStyle right{b.palette().dim, 9, Weight::regular, Align::right};
  const TextStyle center{b.palette().dim, 9, Weight::regular, Align::center};
  const auto step_for = [](float cell, float need) {
    int step = 1;
    while (cell * static_cast<float>(step) < need && step < 64) step *= 2;
    return step;
  };
  const int rows = step_for(p.ch, p.values_in_cells ? 9 : 18);
  for (int i = 0; i < atom.m; i += rows) {
    const float y = p.a.y + (static_cast<float>(i) + 0.5f) * p.ch - 0.5f;
    const std::string name = std::to_string(i);
    if (y < seen.y + 6 || y > seen.bottom() - 22 || p.a.x - 6 < b.width(name, 9)) continue;
    b.text(p.a.x - 5, y, name, right);
  }
  const int cols = step_for(p.cw, atom.n > 99 ? 24 : 14);
  for (int i = 0; i < atom.n; i += cols) {
    const float x = p.b.x + (static_cast<float>(i) + 0.5f) * p.cw - 0.5f;
    if (x < seen.x + 10 || x > seen.right() - 10 || p.b.y - 13 < seen.y) continue;
    b.text(x, p.b.y - 7, std::to_string(i), center);
  }
}

void draw_outside(SceneBuilder& b, const FragmentContext& f, const Side& side) {
  const Axis rows{side.origin.row, side.layout.rows, {}},
      cols{side.origin.col, side.layout.cols, {}};
  hatch_outside(b, f.state.problem, side.operand, rows, cols, side.box);
}

/// The row of A and the column of B behind the chosen output, dashed and joined at it; or, while an
/// element of A or B is hovered, the outputs that it reaches.
void output_behind(SceneBuilder& b, const AtomPicture& p, Coord at) {
  const Color accent = b.palette().accent;
  const auto row = static_cast<float>(at.row), col = static_cast<float>(at.col);
  b.dashed({p.a.x - 2, p.a.y + row * p.ch - 2, p.a.w + 3, p.ch + 3}, accent);
  b.dashed({p.b.x + col * p.cw - 2, p.b.y - 2, p.cw + 3, p.b.h + 3}, accent);
  const float x = std::round(p.c.x + (col + 0.5f) * p.cw - 1);
  const float y = std::round(p.c.y + (row + 0.5f) * p.ch - 1);
  b.line({x, p.b.bottom() + 2}, {x, p.c.y - 1}, accent);
  b.line({p.a.right() + 1, y}, {p.c.x - 1, y}, accent);
}
void outputs_reached(SceneBuilder& b, const AtomPicture& p, Operand from, Coord at) {
  const Color accent = b.palette().accent;
  if (from == Operand::a) {
    b.dashed({p.c.x - 2, p.c.y + static_cast<float>(at.row) * p.ch - 2, p.c.w + 3, p.ch + 3},
             accent);
  } else {
    b.dashed({p.c.x + static_cast<float>(at.col) * p.cw - 2, p.c.y - 2, p.cw + 3, p.c.h + 3},
             accent);
  }
}

std::string legend_of(const FragmentContext& f, const AtomPicture& p) {
  const MmaAtom& atom = f.plan.atom;
  std::string text =
      p.values_in_cells ? tr("T lane, V value in the lane, corner tick: lane % 4") : tr("T = lane");
  if (atom.threads() > 32) text = tr("T = lane of the warp; four warps, 16 rows each");
  if (!p.values_in_cells && !p.corner) text = wording("{}; the wheel zooms", text);
  if (atom.group.size() > 1) {
    text = wording("group {} of {}: eight lanes compute for themselves",
                   atom_thread(atom, f.atom_lane()).group, atom.group.size());
  }
  for (const Operand o : {Operand::a, Operand::b}) {
    const FragmentLayout* layout = &fragment_of(atom, o);
    const char* name = o == Operand::a ? "A" : "B";
    if (layout->copies() <= 1 || atom.in_shared(o)) continue;
    text = layout->copies() == 2 ? wording("{}; {} is held twice", text, name)
                                 : wording("{}; {} is held {} times", text, name, layout->copies());
  }
  return text;
}

/// `names_below`: below C its values' names stand.
void operand_names(SceneBuilder& b, const AtomPicture& p, const FragmentContext& f, Size size,
                   bool names_below) {
  const bool whole = f.state.zoom <= 1;
  const Palette& colors = b.palette();
  const MmaAtom& atom = f.plan.atom;
  const std::string mk = std::to_string(atom.m) + "×" + std::to_string(atom.k);
  const std::string mn = std::to_string(atom.m) + "×" + std::to_string(atom.n);
  if (whole) b.text(p.a.x, p.a.y - 9, "A", {colors.a_text, 12, Weight::semibold});
  if (p.values_in_cells && p.corner) {
    const std::string where =
        wording("{}, rows {}, k {}", mk, axis_text(f.axes.m), axis_text(f.axes.k));
    b.text(p.a.x + 13, p.a.y - 9, where,
           {colors.dim, 11, Weight::regular, Align::left, p.a.w - 16});
  }
  if (whole) b.text(p.b.x - 6, p.b.y - 7, "B", {colors.b_text, 12, Weight::semibold, Align::right});
  const float y = whole ? p.a.bottom() + (p.values_in_cells ? 11 : 10) : size.h - 8;
  const float right = std::min(p.c.right(), size.w - 6), left = std::max(p.a.x, 6.0f);
  const TextRun c_name{result_name(atom), colors.c_text, Weight::semibold},
      c_size{"  " + mn, colors.dim};
  const float c_width = b.runs_width({c_name, c_size}, 11.5f);
  const bool wide = p.values_in_cells || !p.corner;
  if (wide) b.runs(right - c_width, y, {c_name, c_size}, 11.5f);
  const float room = wide ? right - c_width - left - 12 : p.a.w / 2 - 44;
  const float told =
      b.text(left, y, legend_of(f, p), {colors.dim, 11, Weight::regular, Align::left, room});
  if (!atom.b_in_shared || names_below) return;
  const float x = std::max(p.c.x, left + told + 14), end = right - (wide ? c_width + 12 : 0);
  if (end - x < 70) return;
  b.text_that_fits(x, y,
                   {"colors of what lies in shared memory: the banks of each 16 B",
                    "in shared memory: colors of banks", "colors: banks"},
                   {colors.dim, 11, Weight::regular, Align::left, end - x});
}

/// The sum that the chosen output accumulates, in the matrices' own indices.
void output_sum(SceneBuilder& b, const FragmentContext& f, float x, float y, float width) {
  const Palette& p = b.palette();
  const MmaAtom& atom = f.plan.atom;
  const Coord at = fragment_coord(atom.d, f.fragment_thread(), f.selection.output);
  const int reg = f.selection.output / atom.d.values_per_register;
  b.runs(x, y,
         {{(same_results(atom) ? "c" : "d") + std::to_string(reg), p.text, Weight::mono_semibold},
          {" += Σ ", p.dim, Weight::mono},
          {"A[" + std::to_string(f.axes.m.first + at.row) + ", k]", p.a_text, Weight::mono},
          {" · ", p.dim, Weight::mono},
          {"B[k, " + std::to_string(f.axes.n.first + at.col) + "]", p.b_text, Weight::mono},
          {", k " + axis_text(f.axes.k), p.dim, Weight::mono}},
         11, width);
}

/// What wgmma reads of shared memory by itself: no lane holds it. Its chunks of 16 bytes have the
/// colors of their banks, where they are large enough.
void shared_operand(SceneBuilder& b, const FragmentContext& f, const Side& side, Box seen) {
  CellGrid grid;
  grid.box = side.box;
  grid.rows = side.layout.rows, grid.columns = side.layout.cols;
  grid.pick_mode = CellPick::element;
  grid.pick.kind = Pick::Kind::element, grid.pick.level = Level::atom;
  grid.pick.matrix = static_cast<int8_t>(side.operand);
  grid.pick.row = side.origin.row, grid.pick.col = side.origin.col;
  operand_box(b, side.box, side.operand);
  const DescribedOperand d = described(f, side.operand);
  const float cell_w = side.box.w / static_cast<float>(side.layout.cols),
              cell_h = side.box.h / static_cast<float>(side.layout.rows);
  const bool is_a = side.operand == Operand::a;
  const float chunk = static_cast<float>(d.chunk() * d.elements_per_byte);
  const float along_k = is_a ? cell_w : cell_h, across = is_a ? cell_h : cell_w;
  const float k_size = d.tile.k_contiguous ? chunk * along_k : along_k,
              outer_size = d.tile.k_contiguous ? across : chunk * across;
  const bool drawn = std::min(k_size, outer_size) >= 3;
  if (drawn) {
    d.each_chunk([&](int outer, int k, int byte) {
      const float at_k = static_cast<float>(k * d.elements_per_byte) * along_k,
                  at_outer = static_cast<float>(outer) * across;
      const Box box =
          is_a ? Box{side.box.x + at_k, side.box.y + at_outer, k_size - 1, outer_size - 1}
               : Box{side.box.x + at_outer, side.box.y + at_k, outer_size - 1, k_size - 1};
      b.rect(box, bank_color(byte));
    });
  }
  b.cells(std::move(grid));
  if (drawn) return;  // the legend tells
  const float left = std::max(side.box.x, seen.x), right = std::min(side.box.right(), seen.right());
  const float middle = side.box.y + side.box.h / 2;
  if (side.box.h < 14 || right - left < 60 || middle < seen.y + 10 || middle > seen.bottom() - 10)
    return;
  b.text_that_fits((left + right) / 2, middle,
                   {"in shared memory, named by a matrix descriptor", "in shared memory", "shared"},
                   {operand_text(b.palette(), side.operand), 11, Weight::regular, Align::center,
                    right - left - 8});
}

}  // namespace

int FragmentContext::hovered_atom_lane() const {
  if (!state.hover || state.hover->lane < 0) return -1;
  return std::max(0, state.hover->warp) % plan.warps_per_atom() * 32 + state.hover->lane;
}

void draw_mma_tab(SceneBuilder& b, const FragmentContext& f, Size size) {
  const MmaAtom& atom = f.plan.atom;
  const AtomPicture p = place_atom(f, size);
  const int lane = f.atom_lane(), hovered = f.hovered_atom_lane(), threads = f.atom_threads();
  const bool zoomed = f.state.zoom > 1;
  const Box seen{0, p.head, size.w, size.h - p.head - (zoomed ? kAtomBottom : 0)};
  const Side sides[] = {
      {atom.a, Operand::a, p.a, {f.axes.m.first, f.axes.k.first}, !atom.a_in_shared},
      {atom.b, Operand::b, p.b, {f.axes.k.first, f.axes.n.first}, !atom.b_in_shared},
      {atom.d, Operand::c, p.c, {f.axes.m.first, f.axes.n.first}},
  };
  if (zoomed) b.push_clip(seen);
  std::vector<Box> rings, hovers;
  std::vector<SignedBox> signs;
  bool names_below = false;
  for (const Side& side : sides) {
    if (!side.held) {
      shared_operand(b, f, side, seen);
      continue;
    }
    CellGrid grid = fragment_grid(atom, side.layout, side.operand, side.origin, side.box, lane);
    const float run =
        side.box.w / static_cast<float>(grid.columns) * static_cast<float>(grid.run_columns);
    const float tall =
        side.box.h / static_cast<float>(grid.rows) * static_cast<float>(grid.run_rows);
    grid.strength = 0.92f;
    grid.line_width = std::min(run, tall) >= 4 ? 1 : 0;
    grid.ticks = true;
    grid.labels = p.values_in_cells ? CellLabels::thread_value : CellLabels::thread;
    grid.label_size = p.label_size;
    if (atom.threads() <= 32) grid.pick.warp = f.selection.warp;
    grid.pick.mma_m = f.selection.mma_m, grid.pick.mma_n = f.selection.mma_n;
    if (std::min(run, tall) >= 3) {
      for (const Box& box : lane_boxes(grid, lane, threads)) rings.push_back(box);
      if (hovered >= 0 && hovered != lane) {
        for (const Box& box : lane_boxes(grid, hovered, threads)) hovers.push_back(box);
      }
      for (const SignedBox& one : lane_signs(f.state.marks, grid, side.operand, threads)) {
        signs.push_back(one);
      }
    }
    if (!p.values_in_cells && p.corner) {
      const bool stand = margin_values(b, side.layout, grid, side.operand == Operand::b);
      names_below = side.operand == Operand::c && stand;
    }
    b.cells(std::move(grid));
  }
  for (const Side& side : sides) draw_outside(b, f, side);
  axis_numbers(b, p, atom, seen);
  const std::optional<Pick>& hover = f.state.hover;
  bool input_hovered = false;
  // The hovered element, here if it is in this tile, wherever it is hovered.
  Box under{};
  if (hover && hover->kind == Pick::Kind::element) {
    for (const Side& side : sides) {
      const Coord at{hover->row - side.origin.row, hover->col - side.origin.col};
      if (hover->matrix != static_cast<int>(side.operand) || at.row < 0 || at.col < 0 ||
          at.row >= side.layout.rows || at.col >= side.layout.cols) {
        continue;
      }
      const float w = side.box.w / static_cast<float>(side.layout.cols),
                  h = side.box.h / static_cast<float>(side.layout.rows);
      under = {side.box.x + static_cast<float>(at.col) * w,
               side.box.y + static_cast<float>(at.row) * h, std::max(1.0f, w - 1),
               std::max(1.0f, h - 1)};
      if (side.operand != Operand::c) {
        outputs_reached(b, p, side.operand, at);
        input_hovered = true;
      }
    }
  }
  if (!input_hovered)
    output_behind(b, p, fragment_coord(atom.d, f.fragment_thread(), f.selection.output));
  for (const Box& box : hovers) b.hover_ring(box);
  for (const Box& box : rings) b.cell_ring(box, p.values_in_cells && p.corner);
  for (const SignedBox& one : signs) answer_sign(b, one.box, one.sign);
  if (under.w > 0) b.hover_ring(under);
  if (zoomed) b.pop_clip();
  operand_names(b, p, f, size, names_below);

  if (!p.corner) {
    const float end = lane_band(b, f, {8, 2, size.w - 16, p.head - 16});
    output_sum(b, f, 8, end + 7, size.w - 16);
    return;
  }
  const bool small = !p.values_in_cells;
  const float margin = small ? 26.0f : 14.0f;
  const Box corner{p.a.x, p.b.y - 8, p.a.w - margin, p.a.y - 18 - (p.b.y - 8)};
  const float end = draw_mma_registers(b, f, corner, small);
  if (end + 20 < corner.bottom()) output_sum(b, f, corner.x, end + 10, p.a.w - 8);
}

}  // namespace tilescope::viz
