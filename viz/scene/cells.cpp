#include "viz/scene/cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace tilescope::viz {
namespace {

constexpr float kMinLabelCell = 10;  // pixels: narrower cells carry no text

Text label(std::string string, float x, float y, float size, Weight weight, Color color,
           const TextMeasure& measure) {
  Text text;
  text.width = measure.width(string, size, weight);
  text.string = std::move(string);
  text.x = x, text.y = y, text.size = size;
  text.weight = weight, text.align = Align::center, text.color = color;
  return text;
}

uint32_t cell_at(const CellGrid& grid, int row, int col) {
  return grid.cells[static_cast<size_t>(row) * static_cast<size_t>(grid.columns) +
                    static_cast<size_t>(col)];
}

/// The box of a run of cells without the line at its right and lower edges.
Box run_box(const CellGrid& grid, int row, int col) {
  const Box first = cell_box(grid, row, col);
  const Box last = cell_box(grid, std::min(row + grid.run_rows, grid.rows) - 1,
                            std::min(col + grid.run_columns, grid.columns) - 1);
  return {first.x, first.y, last.right() - first.x - grid.line_width,
          last.bottom() - first.y - grid.line_width};
}

}  // namespace

Color cell_color(const CellGrid& grid, uint32_t cell, const Palette& palette) {
  if (cell & kCellEmpty) return {};
  float strength = grid.strength;
  if (cell & kCellStrong) strength = grid.strong;
  if (cell & kCellDim) strength *= 1.0f / 3.0f;
  if (cell & kCellNow) strength = 1.0f;
  switch (grid.color) {
    case CellColor::lanes:
      return palette.lane(cell_thread(cell), strength);
    case CellColor::viridis:
      return mix(palette.panel,
                 viridis(static_cast<float>(cell & kCellMax) / static_cast<float>(kCellMax)),
                 strength);
    case CellColor::solid:
    default:
      return mix(palette.panel, grid.base, strength);
  }
}

std::vector<Point> cell_tick(const CellGrid& grid, int row, int col) {
  if (!grid.ticks) return {};
  const Box box = run_box(grid, row, col);
  const float side = std::min({4.0f, box.w / 4, box.h / 3});
  if (side < 2) return {};
  const int quarter = cell_thread(cell_at(grid, row, col)) & 3;
  const bool right = quarter == 1 || quarter == 2, low = quarter >= 2;
  const float x = right ? box.right() : box.x, y = low ? box.bottom() : box.y;
  const Point along{x + (right ? -side : side), y}, down{x, y + (low ? -side : side)};
  if (right == low) return {{x, y}, along, down};  // clockwise
  return {{x, y}, down, along};
}

std::vector<Text> cell_labels(const CellGrid& grid, const Palette& palette,
                              const TextMeasure& measure, Box clip) {
  std::vector<Text> labels;
  if (grid.labels == CellLabels::none || grid.cells.empty()) return labels;
  const float cell_w = grid.box.w / static_cast<float>(grid.columns);
  const float cell_h = grid.box.h / static_cast<float>(grid.rows);
  if (std::min(cell_w * static_cast<float>(grid.run_columns),
               cell_h * static_cast<float>(grid.run_rows)) < kMinLabelCell) {
    return labels;
  }
  const bool values = grid.labels == CellLabels::thread_value || grid.labels == CellLabels::value;
  const bool threads = grid.labels != CellLabels::value;
  const bool tall = grid.run_rows > 1;  // values below one another, T# above them
  const float size = grid.label_size;
  // All cells are labelled in one way: what does not fit into the widest case is left out of all.
  int highest = 0;
  for (uint32_t cell : grid.cells) {
    if (!(cell & kCellEmpty)) highest = std::max(highest, cell_value(cell));
  }
  const float thread_room = cell_w * static_cast<float>(grid.run_columns) - grid.line_width;
  float thread_size = values ? size + 0.5f : size;
  if (measure.width("T28", thread_size, Weight::regular) > thread_room) thread_size = size;
  const bool whole_names = measure.width("T28", thread_size, Weight::regular) <= thread_room;
  if (!whole_names && measure.width("28", thread_size, Weight::regular) > thread_room + 1)
    return labels;
  if (values && measure.width("V" + std::to_string(highest), size, Weight::regular) > cell_w) {
    return labels;
  }
  // Values below one another need a line each.
  if (values && tall && grid.run_rows > 2 && 0.6f * cell_h < size) return labels;
  for (int row = 0; row < grid.rows; ++row) {
    const Box line = cell_box(grid, row, 0);
    if (line.y < clip.y - 0.5f || line.bottom() > clip.bottom() + 0.5f) continue;
    for (int col = 0; col < grid.columns; ++col) {
      const uint32_t cell = cell_at(grid, row, col);
      if (cell & kCellEmpty) continue;
      const bool head = row % grid.run_rows == 0 && col % grid.run_columns == 0;
      if (!head && !values) continue;
      const Box box = cell_box(grid, row, col);
      if (box.x < clip.x - 0.5f || box.right() > clip.right() + 0.5f) continue;
      const Color ink = ink_on(cell_color(grid, cell, palette));
      const Weight weight = (cell & kCellStrong) != 0 ? Weight::semibold : Weight::regular;
      const Box run = run_box(grid, row - row % grid.run_rows, col - col % grid.run_columns);
      const bool whole_run = run.y >= clip.y - 0.5f && run.x >= clip.x - 0.5f &&
                             run.bottom() <= clip.bottom() + 0.5f &&
                             run.right() <= clip.right() + 0.5f;
      if (head && threads && whole_run) {
        const int lane = cell_thread(cell) % 32;
        const float y = !values ? run.y + run.h / 2
                        : tall  ? run.y + run.h * 0.19f
                                : run.y + run.h * 0.26f;
        labels.push_back(label((whole_names ? "T" : "") + std::to_string(lane), run.x + run.w / 2,
                               y, thread_size, weight, ink, measure));
      }
      if (!values) continue;
      float x = box.x + (box.w - grid.line_width) / 2, y = box.y + (box.h - grid.line_width) / 2;
      if (threads && tall) {
        const int i = row % grid.run_rows;
        y = run.y + run.h * (grid.run_rows == 2 ? (i == 0 ? 0.48f : 0.77f)
                                                : 0.3f + 0.6f * (static_cast<float>(i) + 0.5f) /
                                                             static_cast<float>(grid.run_rows));
      } else if (threads) {
        x = run.x + run.w * (static_cast<float>(col % grid.run_columns) + 0.5f) /
                        static_cast<float>(grid.run_columns);
        y = run.y + run.h * 0.70f;
      }
      labels.push_back(
          label("V" + std::to_string(cell_value(cell)), x, y, size, Weight::regular, ink, measure));
    }
  }
  return labels;
}

std::vector<uint32_t> fragment_cells(const FragmentLayout& fragment) {
  std::vector<uint32_t> cells(
      static_cast<size_t>(fragment.rows) * static_cast<size_t>(fragment.cols), kCellEmpty);
  // Of copies the first is shown: it is written last.
  for (int v = fragment.values() - 1; v >= 0; --v) {
    const Coord by_value = value_coord(fragment, v);
    for (int t = fragment.threads() - 1; t >= 0; --t) {
      const Coord at = thread_coord(fragment, t) + by_value;
      if (at.row < 0 || at.row >= fragment.rows || at.col < 0 || at.col >= fragment.cols) continue;
      cells[static_cast<size_t>(at.row) * static_cast<size_t>(fragment.cols) +
            static_cast<size_t>(at.col)] = pack_cell(t, v);
    }
  }
  return cells;
}

Run fragment_run(const FragmentLayout& fragment) {
  const auto has = [&](Coord at) {
    for (int v = 0; v < fragment.values(); ++v) {
      if (value_coord(fragment, v) == at) return true;
    }
    return false;
  };
  Run run;
  while (run.columns < fragment.cols && has({0, run.columns})) ++run.columns;
  while (run.rows < fragment.rows && has({run.rows, 0})) ++run.rows;
  return run;
}

}  // namespace tilescope::viz
