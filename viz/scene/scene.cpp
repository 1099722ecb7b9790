#include "viz/scene/scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/cells.h"

namespace tilescope::viz {
namespace {

/// Characters, not bytes.
size_t characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

int place(float at, float extent, int count) {
  return std::clamp(static_cast<int>(at / extent * static_cast<float>(count)), 0, count - 1);
}

/// The column or row whose snapped edges hold the place; the plain quotient may be one off.
int snapped(const CellGrid& grid, float at, bool column) {
  const int count = column ? grid.columns : grid.rows;
  const float first = column ? grid.box.x : grid.box.y;
  const float extent = column ? grid.box.w : grid.box.h;
  int i = place(at - first, extent, count);
  const auto box = [&](int k) { return column ? cell_box(grid, 0, k) : cell_box(grid, k, 0); };
  const auto from = [&](int k) { return column ? box(k).x : box(k).y; };
  if (i > 0 && at < from(i)) --i;
  if (i + 1 < count && at >= from(i + 1)) ++i;
  return i;
}

std::optional<Pick> pick_cell(const CellGrid& grid, float x, float y) {
  if (grid.columns <= 0 || grid.rows <= 0 || !grid.box.contains(x, y)) return std::nullopt;
  if (grid.pick_mode == CellPick::none) return std::nullopt;
  int col = snapped(grid, x, true), row = snapped(grid, y, false);
  const size_t index =
      static_cast<size_t>(row) * static_cast<size_t>(grid.columns) + static_cast<size_t>(col);
  const bool drawn = index < grid.cells.size();
  const uint32_t cell = drawn ? grid.cells[index] : 0;
  Pick p = grid.pick;
  switch (grid.pick_mode) {
    case CellPick::cta:
      if (grid.pick_columns > 0) col = place(x - grid.box.x, grid.box.w, grid.pick_columns);
      if (grid.pick_rows > 0) row = place(y - grid.box.y, grid.box.h, grid.pick_rows);
      p.cta_row += row, p.cta_col += col;
      break;
    case CellPick::mma:
      p.mma_m += row, p.mma_n += col;
      break;
    case CellPick::k_slice:
      p.k_slice += col;
      break;
    case CellPick::element:
    default: {
      if (cell & kCellEmpty) return std::nullopt;
      const auto rows = grid.pick_row_list.size(), cols = grid.pick_col_list.size();
      p.row = static_cast<size_t>(row) < rows ? grid.pick_row_list[static_cast<size_t>(row)]
                                              : p.row + row;
      p.col = static_cast<size_t>(col) < cols ? grid.pick_col_list[static_cast<size_t>(col)]
                                              : p.col + col;
      if (drawn && grid.color == CellColor::lanes) {
        p.warp = grid.pick.warp >= 0 ? grid.pick.warp : cell_thread(cell) / 32;
        p.lane = cell_thread(cell) % 32;
        p.value = cell_value(cell);
        if (grid.pick.reg > 0) p.reg = p.value / grid.pick.reg;  // values per register
      }
    }
  }
  return p;
}

}  // namespace

float FixedMeasure::width(std::string_view text, float size, Weight weight) const {
  const float ems = weight == Weight::mono || weight == Weight::mono_semibold ? 0.6f : ems_;
  return static_cast<float>(characters(text)) * size * ems;
}

Box cell_box(const CellGrid& grid, int row, int col) {
  const auto edge = [](float first, float extent, int i, int count) {
    const float at = first + extent * static_cast<float>(i) / static_cast<float>(count);
    // Cells under a pixel wide keep their fractions: rounding would make some of them vanish.
    return extent < static_cast<float>(count) ? at : std::round(at);
  };
  const float x = edge(grid.box.x, grid.box.w, col, grid.columns);
  const float y = edge(grid.box.y, grid.box.h, row, grid.rows);
  return {x, y, edge(grid.box.x, grid.box.w, col + 1, grid.columns) - x,
          edge(grid.box.y, grid.box.h, row + 1, grid.rows) - y};
}

std::optional<Pick> pick(const Scene& scene, float x, float y) {
  for (auto it = scene.primitives.rbegin(); it != scene.primitives.rend(); ++it) {
    const Primitive& primitive = *it;
    const auto* grid = std::get_if<CellGrid>(&primitive.shape);
    if (primitive.pick < 0 && (grid == nullptr || grid->pick_mode == CellPick::none)) continue;
    if (!scene.clips[static_cast<size_t>(primitive.clip)].contains(x, y)) continue;
    if (grid != nullptr) {
      if (auto found = pick_cell(*grid, x, y)) return found;
      continue;
    }
    bool hit = false;
    if (const auto* rect = std::get_if<Rect>(&primitive.shape)) {
      hit = rect->box.contains(x, y);
    } else if (const auto* text = std::get_if<Text>(&primitive.shape)) {
      hit = Box{text->left(), text->y - text->size / 2, text->width, text->size}.contains(x, y);
    }
    if (hit) return scene.picks[static_cast<size_t>(primitive.pick)];
  }
  return std::nullopt;
}

}  // namespace tilescope::viz
