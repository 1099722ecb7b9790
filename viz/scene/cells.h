// The texel of a CellGrid, and how a cell looks: shared by the GL renderer, the vector renderer and
// the label list, so that all three agree.
//
//   bits 0–9    thread of the CTA (its lane: & 31)      viridis: bits 0–19 the value, 0 to kCellMax
//   bits 10–19  value in the thread's fragment
//   bits 20–27  state
#pragma once
#include <cstdint>

#include "core/layout/fragment.h"
#include "viz/scene/scene.h"

namespace tilescope::viz {

constexpr uint32_t kCellMax = (1u << 20) - 1;
constexpr uint32_t kCellStrong = 1u << 20;     // drawn with CellGrid::strong
constexpr uint32_t kCellDim = 1u << 21;        // a third of the strength: done, or not there yet
constexpr uint32_t kCellEmpty = 1u << 22;      // nothing is drawn
constexpr uint32_t kCellEdgeRight = 1u << 23;  // a line at its right edge: a wave ends there
constexpr uint32_t kCellEdgeBottom = 1u << 24;
constexpr uint32_t kCellNow = 1u << 25;  // the one being computed: full colour

constexpr uint32_t pack_cell(int thread, int value) {
  return (static_cast<uint32_t>(thread) & 1023u) | (static_cast<uint32_t>(value) & 1023u) << 10;
}
constexpr int cell_thread(uint32_t cell) { return static_cast<int>(cell & 1023u); }
constexpr int cell_value(uint32_t cell) { return static_cast<int>(cell >> 10 & 1023u); }

/// The colour of a cell before opacity.
Color cell_color(const CellGrid& grid, uint32_t cell, const Palette& palette);

/// The labels T# and V# of the cells inside `clip` that are large enough for them. For grids that
/// are not made by SceneBuilder, which puts a grid's labels into the scene as texts.
std::vector<Text> cell_labels(const CellGrid& grid, const Palette& palette,
                              const TextMeasure& measure, Box clip);

/// The corner of a run that carries the tick of its lane, as a triangle; empty if too small.
std::vector<Point> cell_tick(const CellGrid& grid, int row, int col);

/// The cells of a fragment, row by row, each with its thread and value. Cells that no thread holds
/// are kCellEmpty.
std::vector<uint32_t> fragment_cells(const FragmentLayout& fragment);

/// How many neighbouring columns and rows belong to one thread, from its first value on.
struct Run {
  int columns = 1, rows = 1;
};
Run fragment_run(const FragmentLayout& fragment);

}  // namespace tilescope::viz
