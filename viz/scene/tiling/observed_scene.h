// Tiling of a kernel that has no plan, as it was seen: which CTA stores which elements of a matrix,
// and in one CTA which thread. Nothing here is computed from a layout.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viz/scene/scene.h"

namespace tilescope::viz {

/// What was seen of a launch. Rows and columns are those of the matrix.
struct Observed {
  std::string name;  // of the matrix: "C"
  int rows = 0, cols = 0;
  int grid_x = 1, grid_y = 1, grid_z = 1;
  struct Part {  // a rectangle that a CTA stores
    int row = 0, col = 0, rows = 0, cols = 0;
    int cta = 0;  // in the order of the launch: x first, then y, then z
  };
  std::vector<Part> parts;
  uint64_t ctas = 0, of_ctas = 0;  // that were looked at
  // The chosen CTA: the box round all that it stores, and of each element by rows the thread that
  // stored it, 32 · warp + lane; −1: none. Empty where that is not told.
  int cta = 0;
  Part box = {};
  std::vector<int> threads;
  bool truncated = false;  // there is more than is told

  /// −1: nobody's, or not told.
  int thread_at(int row, int col) const;
};

struct ObservedState {
  std::shared_ptr<const Observed> seen;  // compared by what it points to
  int warp = 0, lane = 0;                // selected
  std::optional<Pick> hover;
  std::string empty_reason;  // one sentence in place of the pictures
  bool operator==(const ObservedState&) const = default;
};

Scene build_observed(const ObservedState& state, const Palette& palette, const TextMeasure& measure,
                     Size size);

}  // namespace tilescope::viz
