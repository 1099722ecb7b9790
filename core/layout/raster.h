// Which block tile of C a CTA computes: the order in which tiles are launched decides what the L2
// can reuse.
#pragma once
#include "core/layout/layout.h"

namespace tilescope {

/// tiles_m × tiles_n block tiles. CTAs are launched in groups of `group` tile rows: inside a group
/// down the rows first, then along the columns. group 1 is plain row-major order.
struct Raster {
  int tiles_m = 1, tiles_n = 1;
  int group = 1;
  constexpr bool operator==(const Raster&) const = default;

  constexpr int tiles() const { return tiles_m * tiles_n; }
};

/// Launch index (blockIdx.y * gridDim.x + blockIdx.x) → block tile (row, column of tiles).
constexpr Coord raster_tile(const Raster& r, int index) {
  const int per_group = r.group * r.tiles_n;
  const int first_row = index / per_group * r.group;
  const int left = r.tiles_m - first_row;
  const int rows = left < r.group ? left : r.group;  // the last group may be lower
  const int in_group = index % per_group;
  return {first_row + in_group % rows, in_group / rows};
}
/// Block tile → launch index.
constexpr int raster_index(const Raster& r, Coord tile) {
  const int first_row = tile.row / r.group * r.group;
  const int left = r.tiles_m - first_row;
  const int rows = left < r.group ? left : r.group;
  return first_row * r.tiles_n + tile.col * rows + tile.row % r.group;
}

}  // namespace tilescope
