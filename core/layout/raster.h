// Which block tile of C a CTA computes: the order in which tiles are launched decides what the L2
// can reuse. CTAs next to each other may make clusters, which read for each other.
#pragma once
#include "core/layout/layout.h"

namespace tilescope {

/// tiles_m × tiles_n block tiles. Clusters of cluster_m × cluster_n CTAs are launched in groups of
/// `group` rows of clusters: inside a group down the rows first, then along the columns. group 1 is
/// plain row-major order. Inside a cluster CTAs run down the rows first.
struct Raster {
  int tiles_m = 1, tiles_n = 1;  // whole clusters: the last ones may lie outside of C
  int group = 1;
  int cluster_m = 1, cluster_n = 1;
  constexpr bool operator==(const Raster&) const = default;

  constexpr int tiles() const { return tiles_m * tiles_n; }
};

constexpr int cluster_size(const Raster& r) { return r.cluster_m * r.cluster_n; }
/// So many tiles, and those beyond them that fill the last clusters.
constexpr void set_tiles(Raster& r, int tiles_m, int tiles_n) {
  r.tiles_m = ceil_div(tiles_m, r.cluster_m) * r.cluster_m;
  r.tiles_n = ceil_div(tiles_n, r.cluster_n) * r.cluster_n;
}

/// Launch index (blockIdx.y * gridDim.x + blockIdx.x) → place of the CTA in its cluster.
constexpr Coord cluster_place(const Raster& r, int index) {
  const int rank = index % cluster_size(r);
  return {rank % r.cluster_m, rank / r.cluster_m};
}
/// The CTAs of a cluster that multiply the same rows of A as the one at `place`, and those that
/// multiply the same columns of B: a bit for each rank.
constexpr int cluster_row(const Raster& r, Coord place) {
  int ranks = 0;
  for (int col = 0; col < r.cluster_n; ++col) ranks |= 1 << (place.row + col * r.cluster_m);
  return ranks;
}
constexpr int cluster_column(const Raster& r, Coord place) {
  return ((1 << r.cluster_m) - 1) << place.col * r.cluster_m;
}
/// How many CTAs are in one of the two: those that a CTA reads for, with itself.
constexpr int cluster_readers(const Raster& r) { return r.cluster_m + r.cluster_n - 1; }

/// Launch index → block tile (row, column of tiles).
constexpr Coord raster_tile(const Raster& r, int index) {
  const int cluster = index / cluster_size(r);
  const int per_group = r.group * (r.tiles_n / r.cluster_n);
  const int first_row = cluster / per_group * r.group;
  const int left = r.tiles_m / r.cluster_m - first_row;
  const int rows = left < r.group ? left : r.group;  // the last group may be lower
  const int in_group = cluster % per_group;
  const Coord place = cluster_place(r, index);
  return {(first_row + in_group % rows) * r.cluster_m + place.row,
          in_group / rows * r.cluster_n + place.col};
}
/// Block tile → launch index.
constexpr int raster_index(const Raster& r, Coord tile) {
  const int row = tile.row / r.cluster_m, col = tile.col / r.cluster_n;
  const int first_row = row / r.group * r.group;
  const int left = r.tiles_m / r.cluster_m - first_row;
  const int rows = left < r.group ? left : r.group;
  const int cluster = first_row * (r.tiles_n / r.cluster_n) + col * rows + row % r.group;
  const int rank = tile.col % r.cluster_n * r.cluster_m + tile.row % r.cluster_m;
  return cluster * cluster_size(r) + rank;
}

}  // namespace tilescope
