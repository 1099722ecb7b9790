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
    raster.tiles_m = *rc::gen::inRange(1, 40);
    raster.tiles_n = *rc::gen::inRange(1, 40);
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
