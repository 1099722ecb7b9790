// Problems, tiles and cards that make no sense have an answer or a reason, never a crash.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "core/model/formulas.h"
#include "core/model/l2_simulation.h"
#include "core/model/names.h"
#include "core/model/sentences.h"
#include "tests/every_kernel.h"
#include "tests/random_tile.h"

namespace tilescope::model {
namespace {

std::string why(const KernelEntry& kernel, const TileConfig& tile, const Problem& p,
                const DeviceLimits& device = {}) {
  const Violation v = kernel.validate(tile, p, device);
  if (v.legal()) return {};
  // As the window asks: without a plan where there can be none.
  const std::string text = sentence(v, tile, p, {}, device);
  EXPECT_FALSE(text.empty()) << tile_text(tile, kernel.sliders);
  return text;
}

/// All that is shown of a legal tile: figures, none of them negative, the time no shorter than that
/// of an empty launch.
void expect_answers(const KernelEntry& kernel, const TileConfig& tile, const Problem& p,
                    const DeviceRow& device) {
  SCOPED_TRACE(std::string(kernel.info.id) + " " + tile_text(tile, kernel.sliders) + " on " +
               device.name);
  const KernelPlan plan = kernel.plan(tile, p, device.limits.sm_count);
  const Analysis a = analyse(plan, p, launch_of(plan), device);
  for (const Formula& f : all_formulas(a)) {
    EXPECT_TRUE(std::isfinite(f.value) && f.value >= 0) << f.key << ": " << f.value;
  }
  EXPECT_GE(a.prediction.us, kLaunchUs);
  EXPECT_STRNE(a.prediction.bound, "");
}

class EveryKernelsNonsense : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelsNonsense, every_kernel(), kernel_name);

TEST_P(EveryKernelsNonsense, ExtentsBeyondAllSenseHaveAReason) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const TileConfig tile = kernel.sliders.defaults();
  constexpr int kLargest = std::numeric_limits<int>::max();
  constexpr int kSmallest = std::numeric_limits<int>::min();
  const char* names[] = {"M", "N", "K"};
  for (int extent = 0; extent < 3; ++extent) {
    for (const int value : {0, -1, kSmallest, kMaxExtent + 1, kLargest}) {
      Problem p = default_problem(kernel.info);
      (extent == 0 ? p.m : extent == 1 ? p.n : p.k) = value;
      EXPECT_EQ(why(kernel, tile, p).rfind(std::string(names[extent]) + " is ", 0), 0u) << value;
    }
  }
}

TEST_P(EveryKernelsNonsense, LinesThatOverlapOrEndBeyond64BitsHaveAReason) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  for (const long long lead :
       {-1LL, 1LL, kMaxLeadingDimension + 1, std::numeric_limits<long long>::max()}) {
    Problem p = default_problem(kernel.info);
    p.ldb = lead;
    EXPECT_NE(why(kernel, kernel.sliders.defaults(), p).find("leading dimension of B"),
              std::string::npos)
        << lead;
  }
}

// Every place of the sliders, legal or not, and values that none of them has.
TEST_P(EveryKernelsNonsense, AnyTileHasAnAnswerOrAReason) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const Problem p = default_problem(kernel.info);
  std::mt19937 random(5);
  int legal = 0, illegal = 0;
  for (int i = 0; i < 400; ++i) {
    const TileConfig tile = random_tile(kernel, random);
    if (!why(kernel, tile, p).empty()) {
      ++illegal;
      continue;
    }
    if (++legal <= 10) expect_answers(kernel, tile, p, device_table()[0]);
  }
  EXPECT_GT(legal, 0);
  for (int i = 0; i < kernel.sliders.count; ++i) {
    for (const int value : {-1, 77, 100000, std::numeric_limits<int>::max()}) {
      TileConfig tile = kernel.sliders.defaults();
      set(tile, kernel.sliders.slider[i].field, value);
      EXPECT_NE(why(kernel, tile, p).find("nearest"), std::string::npos) << i << ": " << value;
    }
  }
  EXPECT_NE(why(kernel, TileConfig{}, p), "") << "a tile of nothing";
}

// Nearly all of the tile is beyond C, and of a slice beyond k.
TEST_P(EveryKernelsNonsense, TilesLargerThanTheProblemHaveAnAnswer) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  std::mt19937 random(6);
  for (int extents = 1; extents < 8; ++extents) {
    Problem p = default_problem(kernel.info);
    p.m = (extents & 1) != 0 ? 1 : 300, p.n = (extents & 2) != 0 ? 1 : 300;
    p.k = (extents & 4) != 0 ? 1 : 300;
    expect_answers(kernel, kernel.sliders.defaults(), p, device_table()[0]);
    for (int i = 0; i < 40; ++i) {
      const TileConfig tile = random_tile(kernel, random);
      if (why(kernel, tile, p).empty()) expect_answers(kernel, tile, p, device_table()[0]);
    }
  }
}

TEST_P(EveryKernelsNonsense, ACardWithoutACacheOrWithOneSmHasAnAnswer) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const TileConfig tile = kernel.sliders.defaults();
  Problem p = default_problem(kernel.info);
  p.m = p.n = p.k = 200;
  DeviceRow device = device_table()[0];
  device.l2_bytes = 0, device.limits.sm_count = 1;
  expect_answers(kernel, tile, p, device);
  const KernelPlan plan = kernel.plan(tile, p, 1);
  const L2Traffic t = simulate_l2(plan, p, l2_machine(device, 1));
  EXPECT_EQ(t.read, t.asked) << "nothing is kept";
  const L2Traffic no_slot = simulate_l2(plan, p, l2_machine(device, 0));
  EXPECT_EQ(no_slot.read, t.read) << "one CTA runs all the same";
}

// What an SM has none of fits no tile, and that is said.
TEST_P(EveryKernelsNonsense, AnSmOfNothingHasAReason) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const Problem p = default_problem(kernel.info);
  const TileConfig tile = kernel.sliders.defaults();
  DeviceLimits device;
  device.threads_per_block = 0;
  EXPECT_NE(why(kernel, tile, p, device), "");
  device = {};
  device.registers_per_sm = 0;
  EXPECT_NE(why(kernel, tile, p, device), "");
  device = {};
  device.grid_y = 0;
  EXPECT_NE(why(kernel, tile, p, device), "");
}

}  // namespace
}  // namespace tilescope::model
