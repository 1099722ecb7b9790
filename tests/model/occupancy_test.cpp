#include "core/model/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "core/model/device_table.h"

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

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". All have 65,536
// registers per SM, 255 per thread, given to warps in units of 256, and 1,024 threads per block.
struct Published {
  int sm;
  int threads_per_sm, ctas_per_sm;
  int shared_per_sm_kib, shared_per_block_kib, reserved_kib;
};
constexpr std::array<Published, 5> kPublished = {{{75, 1024, 16, 64, 64, 0},
                                                  {80, 2048, 32, 164, 163, 1},
                                                  {86, 1536, 16, 100, 99, 1},
                                                  {89, 1536, 24, 100, 99, 1},
                                                  {90, 2048, 32, 228, 227, 1}}};
DeviceLimits limits_of(const Published& p) {
  DeviceLimits d;
  d.sm = p.sm;
  d.threads_per_sm = p.threads_per_sm, d.ctas_per_sm = p.ctas_per_sm;
  d.shared_per_sm = p.shared_per_sm_kib * 1024;
  d.shared_per_block = p.shared_per_block_kib * 1024;
  d.shared_reserved_per_block = p.reserved_kib * 1024;
  return d;
}

TEST(Occupancy, OfFiveArchitecturesByTheirPublishedLimits) {
  struct Row {
    int threads, registers, shared_kib;
    std::array<int, 5> ctas;  // 7.5, 8.0, 8.6, 8.9, 9.0
  };
  const Row rows[] = {
      {256, 32, 0, {4, 8, 6, 6, 8}},      // threads
      {32, 16, 0, {16, 32, 16, 24, 32}},  // slots
      {64, 32, 0, {16, 32, 16, 24, 32}},  // slots, or threads
      {128, 128, 0, {4, 4, 4, 4, 4}},     // 4,096 registers per warp: sixteen warps
      {256, 255, 0, {1, 1, 1, 1, 1}},     // as many as 256: eight warps
      {96, 64, 0, {10, 10, 10, 10, 10}},  // 32 warps, three a block
      {96,
       33,
       0,
       {10, 16, 16, 16, 16}},          // 40 registers per lane are handed out: 12 warps per quarter
      {1024, 64, 0, {1, 1, 1, 1, 1}},  // all registers
      {128, 32, 32, {2, 4, 3, 3, 6}},  // 33 KiB each, but for 7.5
      {128, 32, 48, {1, 3, 2, 2, 4}},  // 49 KiB
      {128, 32, 99, {0, 1, 1, 1, 2}},  // the most that 8.6 and 8.9 give a block
      {128, 32, 164, {0, 0, 0, 0, 1}},
      {128, 32, 228, {0, 0, 0, 0, 0}},  // the reserved one does not fit
  };
  for (const Row& row : rows) {
    for (size_t i = 0; i < kPublished.size(); ++i) {
      const Occupancy o = occupancy(launch(row.threads, row.shared_kib * 1024),
                                    limits_of(kPublished[i]), row.registers);
      EXPECT_EQ(o.ctas_per_sm, row.ctas[i])
          << "sm_" << kPublished[i].sm << ": " << row.threads << " threads, " << row.registers
          << " registers, " << row.shared_kib << " KiB";
    }
  }
}

TEST(Occupancy, TheTableOfDevicesHasThePublishedLimits) {
  for (const DeviceRow& row : device_table()) {
    const auto* of = std::find_if(kPublished.begin(), kPublished.end(),
                                  [&](const Published& p) { return p.sm == row.limits.sm; });
    ASSERT_NE(of, kPublished.end()) << row.name;
    const DeviceLimits expected = limits_of(*of);
    EXPECT_EQ(row.limits.threads_per_sm, expected.threads_per_sm) << row.name;
    EXPECT_EQ(row.limits.ctas_per_sm, expected.ctas_per_sm) << row.name;
    EXPECT_EQ(row.limits.shared_per_sm, expected.shared_per_sm) << row.name;
    EXPECT_EQ(row.limits.shared_per_block, expected.shared_per_block) << row.name;
    EXPECT_EQ(row.limits.shared_reserved_per_block, expected.shared_reserved_per_block) << row.name;
    EXPECT_EQ(row.limits.registers_per_sm, 65536) << row.name;
    EXPECT_EQ(row.limits.registers_per_thread, 255) << row.name;
    EXPECT_EQ(row.limits.register_granularity, 256) << row.name;
    EXPECT_EQ(row.limits.threads_per_block, 1024) << row.name;
  }
}

/// CTAs put on an SM one after the other, warp by warp on the four quarters of its registers in
/// turns, until something is used up.
int placed(const Launch& l, const DeviceLimits& d, int registers) {
  int ctas = 0, threads = d.threads_per_sm, shared = d.shared_per_sm;
  std::array<int, 4> quarters;
  quarters.fill(d.registers_per_sm / 4);
  for (size_t warp = 0; ctas < d.ctas_per_sm; ++ctas) {
    shared -= (l.shared_bytes + d.shared_reserved_per_block + 127) / 128 * 128;
    for (int first = 0; first < l.threads; first += 32, ++warp) {
      threads -= 32;
      quarters[warp % 4] -= (registers * 32 + 255) / 256 * 256;
    }
    const bool fits = *std::min_element(quarters.begin(), quarters.end()) >= 0;
    if (threads < 0 || shared < 0 || !fits) break;
  }
  return ctas;
}

TEST(Occupancy, IsHowManyCanBePlaced) {
  std::mt19937 random(20261123);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::array<int, 4> limited{};
  for (int i = 0; i < 20000; ++i) {
    const DeviceLimits d = limits_of(kPublished[static_cast<size_t>(i) % kPublished.size()]);
    const Launch l = launch(1 + below(1024), below(2) * below(d.shared_per_block + 1));
    const int registers = 16 + below(240);
    const Occupancy o = occupancy(l, d, registers);
    ASSERT_EQ(o.ctas_per_sm, placed(l, d, registers))
        << "sm_" << d.sm << ": " << l.threads << " threads, " << registers << " registers, "
        << l.shared_bytes << " B";
    ++limited[static_cast<size_t>(o.limiter)];
  }
  for (const int times : limited) EXPECT_GT(times, 100);
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
