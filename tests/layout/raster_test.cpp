// Every block tile is launched once, whatever the shape of the grid and the group.
#include "core/layout/raster.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace tilescope {
namespace {

TEST(Raster, IsABijection) {
  EXPECT_TRUE(rc::check([] {
    Raster raster;
    raster.cluster_m = *rc::gen::inRange(1, 5);
    raster.cluster_n = *rc::gen::inRange(1, 5);
    set_tiles(raster, *rc::gen::inRange(1, 40), *rc::gen::inRange(1, 40));
    raster.group = *rc::gen::inRange(1, 50);
    std::vector<int> times(static_cast<size_t>(raster.tiles()), 0);
    for (int index = 0; index < raster.tiles(); ++index) {
      const Coord tile = raster_tile(raster, index);
      RC_ASSERT(tile.row >= 0 && tile.row < raster.tiles_m);
      RC_ASSERT(tile.col >= 0 && tile.col < raster.tiles_n);
      ++times[static_cast<size_t>(tile.row * raster.tiles_n + tile.col)];
      RC_ASSERT(raster_index(raster, tile) == index);
    }
    for (int n : times) RC_ASSERT(n == 1);
  }));
}

// Which CTAs of a cluster share rows of A and columns of B shows from their tiles.
TEST(Raster, ClustersAreRectanglesOfTiles) {
  EXPECT_TRUE(rc::check([] {
    Raster raster;
    raster.cluster_m = *rc::gen::inRange(1, 5);
    raster.cluster_n = *rc::gen::inRange(1, 5);
    const int tiles_m = *rc::gen::inRange(1, 40), tiles_n = *rc::gen::inRange(1, 40);
    set_tiles(raster, tiles_m, tiles_n);
    RC_ASSERT(raster.tiles_m >= tiles_m && raster.tiles_m < tiles_m + raster.cluster_m);
    RC_ASSERT(raster.tiles_n >= tiles_n && raster.tiles_n < tiles_n + raster.cluster_n);
    raster.group = *rc::gen::inRange(1, 50);
    const int size = cluster_size(raster), clusters = raster.tiles() / size;
    const int first = *rc::gen::inRange(0, clusters) * size;
    for (int rank = 0; rank < size; ++rank) {
      const Coord mine = raster_tile(raster, first + rank);
      int same_rows = 0, same_columns = 0, readers = 0;
      for (int other = 0; other < size; ++other) {
        const Coord theirs = raster_tile(raster, first + other);
        RC_ASSERT(theirs.row / raster.cluster_m == mine.row / raster.cluster_m);
        RC_ASSERT(theirs.col / raster.cluster_n == mine.col / raster.cluster_n);
        same_rows |= theirs.row == mine.row ? 1 << other : 0;
        same_columns |= theirs.col == mine.col ? 1 << other : 0;
        readers += theirs.row == mine.row || theirs.col == mine.col ? 1 : 0;
      }
      const Coord place = cluster_place(raster, first + rank);
      RC_ASSERT(cluster_row(raster, place) == same_rows);
      RC_ASSERT(cluster_column(raster, place) == same_columns);
      RC_ASSERT(cluster_readers(raster) == readers);
    }
  }));
}

TEST(Raster, GroupOneIsRowByRow) {
  const Raster raster{3, 4, 1};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(raster_tile(raster, i), (Coord{i / 4, i % 4}));
}

TEST(Raster, AGroupGoesDownFirst) {
  const Raster raster{4, 3, 2};
  EXPECT_EQ(raster_tile(raster, 0), (Coord{0, 0}));
  EXPECT_EQ(raster_tile(raster, 1), (Coord{1, 0}));
  EXPECT_EQ(raster_tile(raster, 2), (Coord{0, 1}));
  EXPECT_EQ(raster_tile(raster, 6), (Coord{2, 0}));
}

}  // namespace
}  // namespace tilescope
