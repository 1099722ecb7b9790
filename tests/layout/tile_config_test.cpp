// The table of tile parameters, and each kernel's sliders and rules over all of their values.
#include "core/layout/tile_config.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/registry.h"

namespace tilescope {
namespace {

TEST(TileFields, GetAndSetReachEachField) {
  TileConfig tile;
  for (int i = 0; i < kTileFieldCount; ++i) {
    EXPECT_EQ(static_cast<int>(kTileFields[i].id), i);
    set(tile, kTileFields[i].id, i + 1);
  }
  for (int i = 0; i < kTileFieldCount; ++i) EXPECT_EQ(get(tile, kTileFields[i].id), i + 1);
  EXPECT_EQ(tile.block_m, 1);
  EXPECT_EQ(tile.promote, kTileFieldCount);
}

TEST(Kernels, DefaultTileIsLegalInEachLayout) {
  for (const KernelEntry& kernel : kernel_table()) {
    for (int bit : {1, 2, 4, 8}) {
      if ((kernel.info.layouts & bit) == 0) continue;
      Problem p = default_problem(kernel.info);
      set_layout(p, bit);
      EXPECT_TRUE(kernel.validate(kernel.sliders.defaults(), p, DeviceLimits{}).legal())
          << kernel.info.id;
    }
  }
}

TEST(Kernels, SliderValuesAscendAndHoldTheDefault) {
  for (const KernelEntry& kernel : kernel_table()) {
    for (int i = 0; i < kernel.sliders.count; ++i) {
      const Slider& slider = kernel.sliders.slider[i];
      EXPECT_TRUE(slider.allows(slider.start)) << kernel.info.id;
      for (int j = 1; j < slider.count; ++j) EXPECT_LT(slider.values[j - 1], slider.values[j]);
    }
  }
}

TEST(Kernels, WhatIsLegalFitsTheDevice) {
  const DeviceLimits device;
  for (const KernelEntry& kernel : kernel_table()) {
    const Problem p = default_problem(kernel.info);
    int legal = 0;
    // Two sliders at a time over all of their values, the others at their defaults.
    for (int i = 0; i < kernel.sliders.count; ++i) {
      for (int j = 0; j < kernel.sliders.count; ++j) {
        const Slider &a = kernel.sliders.slider[i], &b = kernel.sliders.slider[j];
        for (int x = 0; x < a.count; ++x) {
          for (int y = 0; y < b.count; ++y) {
            TileConfig tile = kernel.sliders.defaults();
            set(tile, a.field, a.values[x]);
            set(tile, b.field, b.values[y]);
            if (!kernel.validate(tile, p, device).legal()) continue;
            ++legal;
            const Launch launch = kernel.launch(tile, p);
            EXPECT_LE(launch.threads, device.threads_per_block);
            EXPECT_EQ(launch.threads % 32, 0);
            EXPECT_LE(launch.shared_bytes, device.shared_per_block);
            EXPECT_LE(launch.threads * launch.min_ctas, device.threads_per_sm);
            EXPECT_LE((launch.shared_bytes + device.shared_reserved_per_block) * launch.min_ctas,
                      device.shared_per_sm);
            const KernelPlan plan = kernel.plan(tile, p);
            EXPECT_EQ(launch.ctas(), cta_count(plan.work));
            EXPECT_LE(launch.cluster, kMostClusterCtas);
            EXPECT_EQ(launch.grid_x % launch.cluster, 0);
            if (stays(plan.work)) {
              EXPECT_LE(launch.grid_x, kDefaultSms * launch.min_ctas);
              EXPECT_EQ(launch.grid_y * launch.grid_z, 1);
              continue;
            }
            EXPECT_EQ(launch.grid_x, ceil_div(p.n, tile.block_n));
            EXPECT_EQ(launch.grid_y, ceil_div(p.m, tile.block_m));
            EXPECT_EQ(launch.grid_z, plan.work.splits);
          }
        }
      }
    }
    EXPECT_GT(legal, kernel.sliders.count) << kernel.info.id;
  }
}

}  // namespace
}  // namespace tilescope
