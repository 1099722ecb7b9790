// The L2 simulation against an L2 written out as a list, and what must hold whatever is simulated.
#include "core/model/l2_simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/model/names.h"
#include "core/model/traffic.h"
#include "tests/every_kernel.h"
#include "tests/random_tile.h"

namespace tilescope::model {
namespace {

using Key = std::tuple<int, int, int, int>;
Key key_of(const L2Chunk& c) { return {static_cast<int>(c.operand), c.outer, c.along, c.sums_of}; }

Problem problem_of(const KernelEntry& kernel, int m, int n, int k, float beta = 0) {
  Problem p = default_problem(kernel.info);
  p.m = m, p.n = n, p.k = k, p.beta = beta;
  return p;
}

/// The kernel's own tile and a few random ones that are legal.
std::vector<TileConfig> some_tiles(const KernelEntry& kernel, const Problem& p) {
  std::mt19937 random(static_cast<unsigned>(kernel.info.number));
  std::vector<TileConfig> tiles = {kernel.sliders.defaults()};
  while (tiles.size() < 4) {
    const TileConfig tile = random_tile(kernel, random);
    if (kernel.validate(tile, p, DeviceLimits{}).legal()) tiles.push_back(tile);
  }
  return tiles;
}

/// Bytes from DRAM of an L2 that keeps a list of what was touched, the last first.
double read_by_list(const KernelPlan& plan, const Problem& p, const L2Machine& machine,
                    const L2Options& options) {
  std::list<std::pair<Key, int64_t>> held;
  double read = 0;
  for_each_chunk(plan, p, machine, options, [&](double, const L2Chunk& chunk) {
    const auto at = std::find_if(held.begin(), held.end(),
                                 [&](const auto& h) { return h.first == key_of(chunk); });
    if (at == held.end()) {
      if (!chunk.write) read += static_cast<double>(chunk.bytes);
      held.emplace_front(key_of(chunk), chunk.bytes);
    } else {
      held.splice(held.begin(), held, at);
    }
    int64_t bytes = 0;
    for (const auto& h : held) bytes += h.second;
    while (static_cast<double>(bytes) > machine.bytes && !held.empty()) {
      bytes -= held.back().second;
      held.pop_back();
    }
    return true;
  });
  return read;
}

class EveryKernelsL2 : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelsL2, every_kernel(), kernel_name);

TEST_P(EveryKernelsL2, EqualsAListOnSmallCases) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  for (const int slots : {1, 3, 40}) {
    const Problem p = problem_of(kernel, 200, 260, 200, slots == 3 ? 0.5f : 0.0f);
    for (const TileConfig& tile : some_tiles(kernel, p)) {
      const KernelPlan plan = kernel.plan(tile, p, slots);
      for (const double bytes : {0.0, 20e3, 100e3, 1e9}) {
        const L2Machine machine{bytes, slots};
        EXPECT_EQ(simulate_l2(plan, p, machine).read, read_by_list(plan, p, machine, {}))
            << tile_text(tile, kernel.sliders) << ", " << bytes << " B, " << slots;
      }
    }
  }
}

// A size that is not sharp is five sharp ones, evenly apart.
TEST_P(EveryKernelsL2, OfASoftSizeIsTheMeanOfFive) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const Problem p = problem_of(kernel, 300, 520, 200, 0.5f);
  const KernelPlan plan = kernel.plan(kernel.sliders.defaults(), p, 3);
  for (const double bytes : {20e3, 100e3, 400e3}) {
    double sum = 0;
    for (const double part : {0.8, 0.9, 1.0, 1.1, 1.2}) {
      sum += read_by_list(plan, p, {bytes * part, 3}, {});
    }
    EXPECT_NEAR(simulate_l2(plan, p, {bytes, 3, 0.2}).read, sum / 5, 1e-6 * sum) << bytes;
  }
}

TEST_P(EveryKernelsL2, TouchesWhatEveryTileNeedsOnce) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const Problem p = problem_of(kernel, 300, 520, 200);
  const KernelPlan plan = kernel.plan(kernel.sliders.defaults(), p, 7);
  std::map<Key, int> touched;
  double last = 0;
  for_each_chunk(plan, p, {1e9, 7}, {}, [&](double time, const L2Chunk& chunk) {
    if (chunk.sums_of < 0) ++touched[key_of(chunk)];
    EXPECT_GE(time, last - 1) << "in the order of time, to a step";
    last = std::max(last, time);
    return true;
  });
  const Raster& r = plan.work.raster;
  const int steps = ceil_div(p.k, l2_step_depth(plan, p));
  EXPECT_EQ(touched.size(), static_cast<size_t>((r.tiles_m + r.tiles_n) * steps + r.tiles()));
  for (const auto& [key, times] : touched) {
    const auto o = static_cast<Operand>(std::get<0>(key));
    const int least = o == Operand::a   ? r.tiles_n / r.cluster_n
                      : o == Operand::b ? r.tiles_m / r.cluster_m
                                        : 1;
    EXPECT_GE(times, least);
    // Parts of k that CTAs share out may both touch the step that they meet in.
    if (!shares_tiles(plan.work)) {
      EXPECT_EQ(times, least);
    }
  }
}

TEST_P(EveryKernelsL2, TouchesSumsOnceToGiveAndOnceToAddThem) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const Problem p = problem_of(kernel, 300, 520, 1000);
  for (const int splits : {0, 3}) {  // of kernels that have them
    TileConfig tile = kernel.sliders.defaults();
    if (kernel.sliders.find(TileFieldId::splits)) set(tile, TileFieldId::splits, splits);
    for (const int sms : {7, 40}) {
      const KernelPlan plan = kernel.plan(tile, p, sms);
      std::map<int, std::pair<int, int>> touched;  // by CTA: given, then added
      for_each_chunk(plan, p, {1e9, sms}, {}, [&](double, const L2Chunk& chunk) {
        if (chunk.sums_of < 0) return true;
        auto& [given, added] = touched[chunk.sums_of];
        EXPECT_GE(given, chunk.write ? 0 : 1) << "read before they are there";
        ++(chunk.write ? given : added);
        return true;
      });
      EXPECT_EQ(static_cast<long long>(touched.size()), shared_work(plan.work).parts);
      for (const auto& [cta, times] : touched) EXPECT_EQ(times, std::pair(1, 1)) << "CTA " << cta;
    }
  }
}

TEST_P(EveryKernelsL2, IsBetweenCompulsoryAndAskedAndFallsWithTheCache) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const Problem p = problem_of(kernel, 1000, 900, 512, 1.0f);
  for (const TileConfig& tile : some_tiles(kernel, p)) {
    SCOPED_TRACE(tile_text(tile, kernel.sliders));
    const KernelPlan plan = kernel.plan(tile, p, 16);
    const double from_l2 = traffic(plan, p).l2.read;
    const auto of_c = static_cast<double>(operand_size_bytes(p, Operand::c));
    const double of_sums = 1.0 * shared_work(plan.work).parts * part_bytes(plan);
    double before = 1e300;
    for (const double bytes : {0.0, 1e5, 3e5, 1e6, 3e6, 1e7, 1e9}) {
      const L2Traffic t = simulate_l2(plan, p, {bytes, 32});
      EXPECT_TRUE(t.whole);
      EXPECT_GE(t.read, t.compulsory);
      EXPECT_LE(t.read, t.asked);
      EXPECT_LE(t.read, from_l2) << "what comes from DRAM comes through the L2";
      EXPECT_LE(t.read, before * 1.001) << bytes;  // chunks of A and B differ in size
      before = t.read;
      EXPECT_GE(t.written, of_c);
      EXPECT_LE(t.written, of_c + of_sums) << "sums that are forgotten before they are added";
      for (const float rate : t.hit_rate) EXPECT_TRUE(rate >= 0 && rate <= 1);
    }
    const L2Traffic all_fits = simulate_l2(plan, p, {1e12, 32});
    EXPECT_EQ(before, all_fits.compulsory);
    EXPECT_EQ(all_fits.written, of_c);
  }
}

TEST(L2Simulation, GroupingTilesKeepsMoreInTheCache) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  const Problem p = problem_of(kernel, 16384, 16384, 2048);
  TileConfig tile = kernel.sliders.defaults();
  const auto read = [&](int group) {
    set(tile, TileFieldId::raster, group);
    return simulate_l2(kernel.plan(tile, p), p, {8e6, 132}).read;
  };
  EXPECT_LT(read(8), 0.8 * read(1));
}

TEST(L2Simulation, DriftCostsHitsInASmallCache) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  const Problem p = problem_of(kernel, 4096, 4096, 8192);
  const KernelPlan plan = kernel.plan(kernel.sliders.defaults(), p);
  L2Options lockstep;
  lockstep.drift = 0;
  const L2Machine machine{4e6, 264};
  EXPECT_GT(simulate_l2(plan, p, machine).read, simulate_l2(plan, p, machine, lockstep).read);
}

TEST(L2Simulation, CanBeCancelledAndSaysSo) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  const Problem p = problem_of(kernel, 4096, 4096, 4096);
  const std::atomic<bool> cancelled{true};
  L2Options options;
  options.cancelled = &cancelled;
  const L2Traffic t =
      simulate_l2(kernel.plan(kernel.sliders.defaults(), p), p, {5e7, 264}, options);
  EXPECT_FALSE(t.whole);
}

TEST(L2Simulation, IsNotForGridsOfVeryManyTiles) {
  const KernelEntry& kernel = *find_kernel("naive");
  TileConfig tile = kernel.sliders.defaults();
  EXPECT_TRUE(can_simulate_l2(kernel.plan(tile, problem_of(kernel, 8192, 8192, 8192))));
  set(tile, TileFieldId::block_m, 8), set(tile, TileFieldId::block_n, 4);
  EXPECT_FALSE(can_simulate_l2(kernel.plan(tile, problem_of(kernel, 65536, 65536, 64))));
}

TEST(L2Simulation, OfNonsenseHasAnAnswer) {
  const KernelEntry& kernel = *find_kernel("naive");
  const Problem p = problem_of(kernel, 1, 1, 1);
  const L2Traffic t = simulate_l2(kernel.plan(kernel.sliders.defaults(), p), p, {0, 0});
  EXPECT_EQ(t.read, t.compulsory);
}

}  // namespace
}  // namespace tilescope::model
