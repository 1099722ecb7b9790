#include "core/model/climb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/model/device_table.h"
#include "core/model/fastest_tiles.h"
#include "core/model/prediction.h"
#include "core/model/traffic.h"
#include "kernels/registry.h"

namespace tilescope::model {
namespace {

/// A hill whose top is one tile: a notch away on any slider is 5 % slower.
double hill(const TileConfig& tile, const TileConfig& top) {
  double tflops = 100;
  for (const TileField& field : kTileFields) {
    const double ratio = (get(tile, field.id) + 1.0) / (get(top, field.id) + 1.0);
    tflops *= std::pow(0.95, std::abs(std::log2(ratio)));
  }
  return tflops;
}

struct Asked {
  int count = 0, illegal = 0, again = 0;
  std::set<std::string> seen;
};
TileConfig climbed(const KernelEntry& kernel, const Problem& p, const TileConfig& top, int most,
                   Asked& asked) {
  return climb(kernel.validator(), kernel.sliders, kernel.sliders.defaults(), p, DeviceLimits{},
               most, [&](const TileConfig& tile) -> std::optional<double> {
                 ++asked.count;
                 if (!kernel.validate(tile, p, DeviceLimits{}).legal()) ++asked.illegal;
                 std::string key;
                 for (const TileField& field : kTileFields) {
                   key += std::to_string(get(tile, field.id)) + " ";
                 }
                 if (!asked.seen.insert(key).second) ++asked.again;
                 return hill(tile, top);
               });
}

TEST(Climb, ReachesTheTopOfAHillThroughLegalTilesAlone) {
  for (const KernelEntry& kernel : kernel_table()) {
    const Problem p = default_problem(kernel.info);
    // The top lies two notches from the start on the first slider that has them.
    TileConfig top = kernel.sliders.defaults();
    const Slider& first = kernel.sliders.slider[0];
    for (int i = 2; i < first.count; ++i) {
      if (first.values[i] != first.start) continue;
      top.block_m = first.values[i - 2];
      if (kernel.validate(top, p, DeviceLimits{}).legal()) break;
      top = kernel.sliders.defaults();
    }
    Asked asked;
    const TileConfig found = climbed(kernel, p, top, 1000, asked);
    EXPECT_EQ(found, top) << kernel.info.id;
    EXPECT_EQ(asked.illegal, 0) << kernel.info.id;
    EXPECT_EQ(asked.again, 0) << kernel.info.id << ": a tile is measured once";
  }
}

TEST(Climb, StopsAtItsLimit) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  TileConfig top = kernel.sliders.defaults();
  top.block_m = 32, top.block_k = 16, top.stages = 6;
  Asked asked;
  climbed(kernel, default_problem(kernel.info), top, 5, asked);
  EXPECT_EQ(asked.count, 5);
}

// A warp tile of 64 does not fit into a block tile of 32: it goes along.
TEST(Climb, TakesOtherSlidersWithIt) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  const Problem p = default_problem(kernel.info);
  TileConfig top = kernel.sliders.defaults();
  top.block_m = 32, top.warp_m = 32;
  Asked asked;
  const TileConfig found = climbed(kernel, p, top, 1000, asked);
  EXPECT_EQ(found.block_m, 32);
  EXPECT_EQ(found.warp_m, 32);
}

TEST(Climb, WhatCannotBeMeasuredIsNotTaken) {
  const KernelEntry& kernel = *find_kernel("naive");
  const Problem p = default_problem(kernel.info);
  const TileConfig from = kernel.sliders.defaults();
  EXPECT_EQ(climb(kernel.validator(), kernel.sliders, from, p, DeviceLimits{}, 100,
                  [](const TileConfig&) { return std::nullopt; }),
            from);
}

TEST(Climb, MeasuresTheOthersFirstAndGoesFromTheFastest) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  const Problem p = default_problem(kernel.info);
  TileConfig top = kernel.sliders.defaults();
  top.block_m = 32, top.warp_m = 16, top.block_k = 16, top.stages = 6;
  TileConfig near = top;
  near.stages = 5;
  const TileConfig others[] = {near};
  int asked = 0;
  const TileConfig found = climb(
      kernel.validator(), kernel.sliders, kernel.sliders.defaults(), p, DeviceLimits{}, 20,
      [&](const TileConfig& tile) -> std::optional<double> {
        ++asked;
        return hill(tile, top);
      },
      others);
  EXPECT_EQ(found, top);
  EXPECT_LE(asked, 20);
}

// From 128x128x64 a climb of twenty tiles found nothing here that was faster.
TEST(FastestTiles, AreLegalSortedAndFitASmallM) {
  const DeviceRow& row = device_table().front();
  int much_faster = 0;
  for (const KernelEntry& kernel : kernel_table()) {
    const char* id = kernel.info.id;
    Problem p = default_problem(kernel.info);
    p.m = 16, p.n = 4096, p.k = 14336;
    const auto time = [&](const TileConfig& tile) {
      const KernelPlan plan = kernel.plan(tile, p, row.limits.sm_count);
      return predict(plan, p, launch_of(plan), traffic(plan, p), row).us;
    };
    const auto tiles = fastest_tiles(kernel.validator(), kernel.sliders, p, row.limits, 10, time);
    ASSERT_EQ(tiles.size(), 10u) << id;
    for (size_t i = 0; i < tiles.size(); ++i) {
      EXPECT_TRUE(kernel.validate(tiles[i], p, row.limits).legal()) << id;
      if (i > 0) {
        EXPECT_LE(time(tiles[i - 1]), time(tiles[i])) << id;
      }
    }
    EXPECT_LE(time(tiles[0]), time(kernel.sliders.defaults())) << id;
    much_faster += time(tiles[0]) < 0.7 * time(kernel.sliders.defaults()) ? 1 : 0;
    EXPECT_EQ(tiles, fastest_tiles(kernel.validator(), kernel.sliders, p, row.limits, 10, time))
        << id << ": the same each time";
  }
  EXPECT_GE(much_faster, 8);
}

TEST(FastestTiles, AreNoneOfAProblemThatNoTileFits) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  Problem p = default_problem(kernel.info);
  p.m = 0;
  EXPECT_TRUE(fastest_tiles(kernel.validator(), kernel.sliders, p, DeviceLimits{}, 10,
                            [](const TileConfig&) { return 1.0; })
                  .empty());
}

}  // namespace
}  // namespace tilescope::model
