// The model's counts and formulas against the slow witness: all kernels, random legal tiles, random
// sizes.
#include "core/model/traffic.h"

#include <gtest/gtest.h>

#include <random>

#include <rapidcheck.h>
#include <thread>

#include <cmath>
#include <string>

#include "core/layout/packing.h"
#include "tests/every_kernel.h"
#include "tests/model/brute_force.h"
#include "tests/model/formulas_walked.h"
#include "tests/random_tile.h"

namespace tilescope::model {
namespace {

bool same(const GlobalSum& a, const GlobalSum& b) {
  return a.requests == b.requests && a.sectors == b.sectors && a.bytes == b.bytes &&
         a.fetched == b.fetched;
}
bool same(const SharedSum& a, const SharedSum& b) {
  return a.requests == b.requests && a.wavefronts == b.wavefronts && a.ideal == b.ideal &&
         a.bytes == b.bytes;
}
bool same(const Counts& a, const Counts& b) {
  return a.ctas == b.ctas && a.mma == b.mma && a.fma == b.fma && same(a.load_a, b.load_a) &&
         same(a.load_b, b.load_b) && same(a.load_c, b.load_c) && same(a.load_bias, b.load_bias) &&
         same(a.store_c, b.store_c) && same(a.load_sums, b.load_sums) &&
         same(a.store_sums, b.store_sums) && same(a.load_pack, b.load_pack) &&
         same(a.store_pack, b.store_pack) && same(a.shared_load, b.shared_load) &&
         same(a.shared_store, b.shared_store) && same(a.shared_copy, b.shared_copy) &&
         same(a.shared_product, b.shared_product) && a.boxes_a == b.boxes_a &&
         a.boxes_b == b.boxes_b;
}

/// The keys of formulas that do not give what was walked.
std::string wrong_formulas(const KernelPlan& plan, const Problem& p, const Counts& counted) {
  const Analysis a = analyse(plan, p, launch_of(plan), device_table()[0]);
  const auto walked = walked_formulas(a, counted);
  std::string wrong;
  for (const Formula& f : all_formulas(a)) {
    const auto at = walked.find(f.key);
    if (at == walked.end() || std::abs(f.value - at->second) <= 1e-12 * at->second) continue;
    wrong += f.key + " gives " + std::to_string(f.value) + ", walked " +
             std::to_string(at->second) + "; ";
  }
  return wrong;
}

TileConfig random_tile(const KernelEntry& kernel) {
  TileConfig tile;
  for (int i = 0; i < kernel.sliders.count; ++i) {
    const Slider& slider = kernel.sliders.slider[i];
    set(tile, slider.field, slider.values[*rc::gen::inRange(0, slider.count)]);
  }
  return tile;
}

Problem random_problem(const KernelEntry& kernel, int largest) {
  Problem p = default_problem(kernel.info);
  const int layouts[] = {kNN, kNT, kTN, kTT};
  const int layout = layouts[*rc::gen::inRange(0, 4)];
  if (kernel.info.layouts & layout) set_layout(p, layout);
  // Half of the extents are aligned, as in use.
  const auto extent = [&](int low) {
    const int value = *rc::gen::inRange(low, largest);
    return *rc::gen::arbitrary<bool>() ? (value + 31) / 32 * 32 : value;
  };
  p.m = extent(1), p.n = extent(1), p.k = extent(1);
  p.beta = *rc::gen::arbitrary<bool>() ? 0.5f : 0.0f;
  p.bias = *rc::gen::arbitrary<bool>();
  return p;
}

class EveryKernelsTraffic : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelsTraffic, every_kernel(), kernel_name);

TEST_P(EveryKernelsTraffic, EqualsBruteForce) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  // Without shared memory each product is a request to be walked: 96³ are enough.
  const bool direct =
      kernel.plan(kernel.sliders.defaults(), default_problem(kernel.info)).stages() == 0;
  EXPECT_TRUE(rc::check(GetParam(), [&] {
    const Problem p = random_problem(kernel, direct ? 96 : 200);
    const TileConfig tile = *rc::gen::suchThat(
        rc::gen::exec([&] { return random_tile(kernel); }), [&](const TileConfig& t) {
          return kernel.validate(t, p, DeviceLimits{}).legal() && t.block_m * t.block_n <= 16384;
        });
    const KernelPlan plan = kernel.plan(tile, p);
    const Counts counted = brute_force(plan, p);
    RC_ASSERT(same(count(plan, p), counted));
    RC_ASSERT(wrong_formulas(plan, p, counted) == "");
  }));
}

// 64 CTAs of 128×128×32 at 1024³ in half: A and B are asked for 8 times each.
TEST(Traffic, FullTilesAtOneThousand) {
  const KernelEntry* kernel = find_kernel("mma_multistage");
  ASSERT_NE(kernel, nullptr);
  const Problem p = default_problem(kernel->info);
  TileConfig tile = kernel->sliders.defaults();
  tile.block_k = 32;
  const Traffic t = traffic(kernel->plan(tile, p), p);
  EXPECT_EQ(t.counts.ctas, 64u);
  EXPECT_EQ(t.l1.read, 2.0 * 8 * 1024 * 1024 * 2);
  EXPECT_EQ(t.l1.write, 4.0 * 1024 * 1024);
  EXPECT_EQ(t.l2.read, t.l1.read);
  EXPECT_EQ(t.dram.read, 2.0 * 1024 * 1024 * 2);
  EXPECT_EQ(t.counts.load_a.sectors * 32, t.counts.load_a.bytes);
  EXPECT_EQ(t.counts.shared_load.conflicts(), 0u);
  EXPECT_EQ(t.counts.shared_copy.conflicts(), 0u);
  EXPECT_EQ(t.counts.mma, 1024ull * 1024 * 1024 / (16 * 8 * 16));
  EXPECT_TRUE(t.l1.exact);
  EXPECT_FALSE(t.l2.exact);
  EXPECT_FALSE(t.dram.exact);
}

TEST(Traffic, SwizzleTakesAwayConflicts) {
  const KernelEntry* kernel = find_kernel("mma_multistage");
  ASSERT_NE(kernel, nullptr);
  const Problem p = default_problem(kernel->info);
  TileConfig tile = kernel->sliders.defaults();
  EXPECT_EQ(traffic(kernel->plan(tile, p), p).counts.shared_load.conflicts(), 0u);
  tile.swizzle = 0;
  const Counts without = traffic(kernel->plan(tile, p), p).counts;
  // Eight rows of 128 bytes meet one bank group: eight wavefronts where one is enough.
  EXPECT_EQ(without.shared_load.wavefronts, 8 * without.shared_load.ideal);
}

TEST(Traffic, NaiveIsUncoalesced) {
  const KernelEntry* kernel = find_kernel("naive");
  ASSERT_NE(kernel, nullptr);
  Problem p = default_problem(kernel->info);
  p.m = p.n = p.k = 256;
  const Counts rows = count(kernel->plan(kernel->sliders.defaults(), p), p);
  EXPECT_EQ(rows.load_a.sectors, 32 * rows.load_a.requests);
  EXPECT_EQ(rows.load_b.sectors, rows.load_b.requests);
  set_layout(p, kNT);  // A column-major: the lanes' rows lie side by side
  const Counts columns = count(kernel->plan(kernel->sliders.defaults(), p), p);
  EXPECT_EQ(columns.load_a.sectors, 4 * columns.load_a.requests);
}

TEST(Traffic, HugeProblemsAreCountedByClasses) {
  for (const KernelEntry& kernel : kernel_table()) {
    Problem p = default_problem(kernel.info);
    p.m = 65533, p.n = 4099, p.k = 65537;
    const KernelPlan plan = kernel.plan(kernel.sliders.defaults(), p);
    const Counts c = count(plan, p);
    EXPECT_EQ(c.store_c.bytes, 1ull * p.m * p.n * 4) << kernel.info.id;
    const uint64_t tiles = static_cast<uint64_t>(
        plan.copy_a.kind == CopyKind::direct ? p.n : plan.work.raster.tiles_n);
    const auto [rows, cols] = extents_read(plan, p, Operand::a);
    const auto bytes = static_cast<uint64_t>(element_bytes(p.type_a));
    EXPECT_EQ(c.load_a.bytes, tiles * static_cast<uint64_t>(rows) * cols * bytes);
  }
}

TEST(Walked, WhatIsKeptIsWhatIsWalkedAnew) {
  for (const KernelEntry& kernel : kernel_table()) {
    std::mt19937 random(7);
    int compared = 0;
    for (int i = 0; i < 400 && compared < 20; ++i) {
      Problem p = default_problem(kernel.info);
      p.m = 500 + i % 3, p.n = 700, p.k = 300 + 4 * (i % 2), p.beta = static_cast<float>(i % 2);
      const TileConfig tile = random_tile(kernel, random);
      if (!kernel.validate(tile, p, {}).legal()) continue;
      const KernelPlan plan = kernel.plan(tile, p, 132);
      ++compared;
      const Traffic kept = traffic(plan, p);  // of tiles walked before
      Traffic anew;                           // a thread knows none yet
      std::thread([&] { anew = traffic(plan, p); }).join();
      const auto figures = [](const Traffic& t) {
        const Counts& c = t.counts;
        return std::vector<uint64_t>{c.load_a.sectors,
                                     c.load_a.requests,
                                     c.load_a.fetched,
                                     c.load_b.sectors,
                                     c.load_b.requests,
                                     c.load_b.fetched,
                                     c.store_c.sectors,
                                     c.store_c.wavefronts,
                                     c.shared_load.wavefronts,
                                     c.joined_load.requests,
                                     c.shared_store.wavefronts,
                                     c.shared_copy.wavefronts,
                                     c.epilogue_load.bytes,
                                     c.epilogue_store.bytes,
                                     t.fetched_a,
                                     t.fetched_b};
      };
      EXPECT_EQ(figures(kept), figures(anew)) << kernel.info.id << " " << i;
    }
    EXPECT_GT(compared, 5) << kernel.info.id;
  }
}

}  // namespace
}  // namespace tilescope::model
