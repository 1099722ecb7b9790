// ldmatrix, stmatrix and movmatrix by themselves: who gives the address of each row, and who holds
// each element.
#include <algorithm>
#include <cmath>

#include "core/instructions/fragment_text.h"
#include "viz/scene/fragment/fragment_parts.h"

namespace tilescope::viz {
namespace {

using model::FormulaStyle;

constexpr float kTag = 30, kTagGap = 10;

const MatrixMove& move_of(const FragmentState& state) { return state.instruction->move; }
bool is_movmatrix(const MatrixMove& m) { return m.kind == MatrixMoveKind::movmatrix; }

CellGrid move_grid(const FragmentLayout& layout, int matrix, Box box, int lane) {
  CellGrid grid;
  const std::vector<uint32_t> all = fragment_cells(layout);
  grid.box = box;
  grid.rows = kMatrixRows, grid.columns = layout.cols;
  const auto first = static_cast<std::ptrdiff_t>(matrix * kMatrixRows * layout.cols);
  grid.cells.assign(all.begin() + first, all.begin() + first + kMatrixRows * layout.cols);
  for (uint32_t& cell : grid.cells) {
    if (cell_thread(cell) == lane) cell |= kCellStrong;
  }
  const Run run = fragment_run(layout);
  grid.run_columns = run.columns, grid.run_rows = run.rows;
  grid.strength = 0.92f;
  grid.ticks = true;
  grid.pick_mode = CellPick::element;
  grid.pick.kind = Pick::Kind::element, grid.pick.level = Level::atom;
  grid.pick.matrix = 0;
  grid.pick.row = matrix * kMatrixRows, grid.pick.col = 0;
  grid.pick.reg = layout.values_per_register;
  return grid;
}

/// One 8×8 matrix with, left of it, the lanes that give its rows' addresses.
void draw_matrix(SceneBuilder& b, const FragmentState& state, const FragmentLayout& layout,
                 int matrix, Box box, std::string_view title, bool addressed,
                 std::vector<Box>& rings, std::vector<Box>& hovers) {
  const Palette& p = b.palette();
  const int lane = state.selection.lane, hovered = hovered_lane(state.hover);
  const float ch = box.h / kMatrixRows;
  b.text(box.x + box.w / 2, box.y - 9, title, {p.dim, 11, Weight::regular, Align::center, box.w});
  CellGrid grid = move_grid(layout, matrix, box, lane);
  const float cw = box.w / static_cast<float>(grid.columns);
  grid.labels = cw >= 18 && ch >= 17 ? CellLabels::thread_value : CellLabels::thread;
  grid.label_size = std::clamp(std::floor(std::min(ch * 0.475f, cw * 0.5f)), 9.0f, 13.0f);
  for (const Box& ring : lane_boxes(grid, lane)) rings.push_back(ring);
  if (hovered >= 0 && hovered != lane) {
    for (const Box& ring : lane_boxes(grid, hovered)) hovers.push_back(ring);
  }
  b.cells(std::move(grid));
  if (!addressed) return;
  const MatrixMove& move = move_of(state);
  for (int l = 0; l < move.matrices * kMatrixRows; ++l) {
    const int row = move.address(l);
    if (row / kMatrixRows != matrix) continue;
    const float y = box.y + static_cast<float>(row % kMatrixRows) * ch, middle = y + (ch - 1) / 2;
    const bool mine = l == lane;
    const Box tag{box.x - kTagGap - kTag, y + 1, kTag, ch - 3};
    b.rect(tag, mine ? p.accent_ground : p.frame_strong, mine ? p.accent : Color{}, 2);
    Pick pick;
    pick.kind = Pick::Kind::lane, pick.level = Level::atom, pick.lane = l;
    b.pickable(pick);
    b.text(tag.x + tag.w / 2, middle, "T" + std::to_string(l),
           {mine ? p.text : p.dim, 10, mine ? Weight::semibold : Weight::regular, Align::center});
    b.triangle({tag.right() + 4.5f, middle}, 3, Way::right, mine ? p.accent : p.faint);
    if (!mine) {
      if (l == hovered) hovers.push_back(tag);
    } else if (move.transposed) {  // names stand across rows: mark the row's ends
      b.rect({box.x - 4, y, 3, ch}, p.accent);
      b.rect({box.right(), y, 3, ch}, p.accent);
    } else {
      b.rect({box.x - 2, y - 2, box.w + 3, ch + 3}, {}, p.accent, 0, 2);
    }
  }
}

/// Which two elements a lane's register has.
std::string register_sentence(const MatrixMove& move, int lane) {
  const bool gets = move.kind == MatrixMoveKind::ldmatrix;
  const Coord first = fragment_coord(move.registers, lane, 0);
  const std::string rows = range_text(first.row, first.row + 1);
  const std::string cols = range_text(first.col, first.col + 1);
  if (move.transposed) {
    return gets ? wording("register i gets rows {} of column {} of matrix i, low half first", rows,
                          first.col)
                : wording("register i gives rows {} of column {} of matrix i, low half first", rows,
                          first.col);
  }
  return gets ? wording("register i gets columns {} of row {} of matrix i, low half first", cols,
                        first.row)
              : wording("register i gives columns {} of row {} of matrix i, low half first", cols,
                        first.row);
}

std::string sentence(const MatrixMove& move, int lane) {
  if (is_movmatrix(move)) {
    const Coord from = fragment_coord(move.registers, lane, 0),
                to = fragment_coord(move.result, lane, 0);
    return wording("lane {} gives row {}, columns {} and gets rows {} of column {}", lane, from.row,
                   range_text(from.col, from.col + 1), range_text(to.row, to.row + 1), to.col);
  }
  const std::string held = register_sentence(move, lane);
  if (lane < move.matrices * kMatrixRows) {
    const int row = move.address(lane);
    return wording("lane {} gives the address of row {} of matrix {}; {}", lane, row % kMatrixRows,
                   row / kMatrixRows, held);
  }
  return wording("lane {} gives no address (lanes 0 to {} do); {}", lane,
                 move.matrices * kMatrixRows - 1, held);
}

}  // namespace

void draw_move_tab(SceneBuilder& b, const FragmentState& state, Size size) {
  const Palette& p = b.palette();
  const MatrixMove& move = move_of(state);
  const float pad = 8, width = size.w - 2 * pad;
  const int pictures = is_movmatrix(move) ? 2 : move.matrices;
  const float strip = 14;
  b.text(pad, 10, wording("lane {}", state.selection.lane), {p.text, 12, Weight::semibold});
  const bool two_rows = width < 480;
  const float strip_h = two_rows ? 2 * strip : strip;
  lane_strip(b, {pad, 19, std::min(width, 640.0f), strip_h}, two_rows ? 2 : 1, state.selection.lane,
             state.hover ? std::optional<int>(state.hover->lane) : std::nullopt);
  float y = 19 + strip_h + 14;
  y += 16 * static_cast<float>(
                b.wrap(pad, y, width, sentence(move, state.selection.lane), {p.text, 12}, 16, 3));
  const int across = pictures >= 2 ? 2 : 1, down = (pictures + across - 1) / across;
  const float left = is_movmatrix(move) ? 0 : kTag + kTagGap, gap = 22, head = 22;
  const float room_w =
      (width - static_cast<float>(across) * left - gap * static_cast<float>(across - 1)) /
      static_cast<float>(across);
  const float room_h = (size.h - y - 20) / static_cast<float>(down) - head;
  const float cw = std::clamp(std::floor(room_w / 8), 5.0f, 44.0f);
  const float ch = std::clamp(std::floor(room_h / 8), 5.0f, 30.0f);
  std::vector<Box> rings, hovers;
  for (int i = 0; i < pictures; ++i) {
    // In register order: the matrices of an A fragment lie below one another first.
    const int column = pictures == 4 ? i / 2 : i, row = pictures == 4 ? i % 2 : 0;
    const Box box{pad + left + static_cast<float>(column) * (8 * cw + left + gap),
                  y + head + static_cast<float>(row) * (8 * ch + head), 8 * cw, 8 * ch};
    if (is_movmatrix(move)) {
      draw_matrix(b, state, i == 0 ? move.registers : move.result, 0, box,
                  i == 0 ? "before: the source" : "after: who holds what of it", false, rings,
                  hovers);
    } else {
      draw_matrix(b, state, move.registers, i, box, wording("matrix {}, register {}", i, i), true,
                  rings, hovers);
    }
  }
  for (const Box& box : hovers) b.hover_ring(box);
  for (const Box& box : rings) b.cell_ring(box, true);
  b.text(pad, size.h - 10,
         is_movmatrix(move)
             ? "T lane, V value (half of the register)"
             : "T left of a row: the lane that gives its address; in a cell: who holds it, V value",
         {p.dim, 11, Weight::regular, Align::left, width});
}

void draw_move_formulas(SceneBuilder& b, const FragmentState& state, Size size) {
  const Palette& p = b.palette();
  const MatrixMove& move = move_of(state);
  const float pad = 8, width = size.w - 2 * pad;
  const model::LaneNames names;
  float y = 14;
  const auto line = [&](const std::string& left, const std::string& right) {
    b.runs(pad + 12, y, {{left + " = ", p.dim, Weight::mono}, {right, p.text, Weight::mono}}, 12,
           width - 12);
    y += 18;
  };
  const auto head = [&](const std::string& text) {
    y += 4;
    b.text(pad, y, text, {p.text, 12, Weight::semibold, Align::left, width});
    y += 20;
  };
  if (!is_movmatrix(move)) {
    head("The row whose address a lane gives");
    line("8 · matrix + row", wording("lane, for lanes 0 to {}", move.address.size() - 1));
  }
  const auto map = [&](const FragmentLayout& f, const std::string& title) {
    head(title);
    line(move.matrices > 1 ? "8 · matrix + row" : "row",
         model::row_formula(f, names, FormulaStyle::words));
    line("col", model::col_formula(f, names, FormulaStyle::words));
    line("lane", model::lane_formula(f, names, FormulaStyle::words));
    line("v", model::value_formula(f, FormulaStyle::words));
  };
  map(move.registers, is_movmatrix(move) ? "What a lane gives" : "What a lane holds");
  if (is_movmatrix(move)) map(move.result, "What a lane gets");
  b.text(pad, y + 8, "v: the lane's value; value v lies in register v / 2, low half first.",
         {p.dim, 11, Weight::regular, Align::left, width});
  (void)size;
}

}  // namespace tilescope::viz
