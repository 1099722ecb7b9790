#include "core/model/occupancy.h"

#include <gtest/gtest.h>

namespace tilescope::model {
namespace {

Launch launch(int threads, int shared, int grid_x = 8, int grid_y = 8) {
  return {.grid_x = grid_x, .grid_y = grid_y, .threads = threads, .shared_bytes = shared};
}

TEST(Occupancy, ThreadsLimit) {
  const Occupancy o = occupancy(launch(1024, 0), DeviceLimits{});
  EXPECT_EQ(o.ctas_per_sm, 2);
  EXPECT_EQ(o.limiter, Limiter::threads);
  EXPECT_DOUBLE_EQ(o.warps_share, 1.0);
}

TEST(Occupancy, SharedMemoryLimitsWithTheReservedKibibyte) {
  // Three stages of 128×64 and 64×128 halves: 96 KiB; two such CTAs and 2 KiB fit in 228 KiB.
  const Occupancy o = occupancy(launch(128, 3 * 32768), DeviceLimits{});
  EXPECT_EQ(o.ctas_per_sm, 2);
  EXPECT_EQ(o.limiter, Limiter::shared_memory);
  // Without the reserve, 76 KiB would fit three times.
  EXPECT_EQ(occupancy(launch(128, 76 * 1024), DeviceLimits{}).ctas_per_sm, 2);
  EXPECT_EQ(occupancy(launch(128, 75 * 1024), DeviceLimits{}).ctas_per_sm, 3);
}

TEST(Occupancy, RegistersLimitOnceKnown) {
  EXPECT_EQ(occupancy(launch(128, 0), DeviceLimits{}).limiter, Limiter::threads);
  const Occupancy o = occupancy(launch(128, 0), DeviceLimits{}, 255);
  EXPECT_EQ(o.limiter, Limiter::registers);
  EXPECT_EQ(o.ctas_per_sm, 2);  // 255 → 256 registers × 32 lanes: 8 warps
  EXPECT_EQ(occupancy(launch(256, 0), DeviceLimits{}, 128).ctas_per_sm, 2);
  EXPECT_EQ(occupancy(launch(1024, 0), DeviceLimits{}, 64).ctas_per_sm, 1);
  EXPECT_EQ(occupancy(launch(1024, 0), DeviceLimits{}, 65).ctas_per_sm, 0);
}

TEST(Occupancy, SlotsLimit) {
  const Occupancy o = occupancy(launch(32, 0), DeviceLimits{});
  EXPECT_EQ(o.ctas_per_sm, 32);
  EXPECT_EQ(o.limiter, Limiter::cta_slots);
}

TEST(Occupancy, NothingFits) {
  const Occupancy o = occupancy(launch(128, 240 * 1024), DeviceLimits{});
  EXPECT_EQ(o.ctas_per_sm, 0);
  EXPECT_EQ(waves(launch(128, 240 * 1024), DeviceLimits{}, o).count, 0);
}

TEST(Waves, LastOneIsPartlyFilled) {
  DeviceLimits device;
  device.sm_count = 100;
  Occupancy o;
  o.ctas_per_sm = 2;
  const Waves exact = waves(launch(128, 0, 20, 20), device, o);
  EXPECT_EQ(exact.count, 2);
  EXPECT_DOUBLE_EQ(exact.last_fill, 1.0);
  EXPECT_DOUBLE_EQ(exact.efficiency, 1.0);
  const Waves partly = waves(launch(128, 0, 25, 10), device, o);
  EXPECT_EQ(partly.count, 2);
  EXPECT_DOUBLE_EQ(partly.last_fill, 0.25);
  EXPECT_DOUBLE_EQ(partly.efficiency, 250.0 / 400);
}

}  // namespace
}  // namespace tilescope::model
