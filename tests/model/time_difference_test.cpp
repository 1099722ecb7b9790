#include "core/model/time_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "tests/every_kernel.h"
#include "tests/random_tile.h"

namespace tilescope::model {
namespace {

/// Legal tiles of all kernels on problems of all shapes, each with what a compiler might say.
std::vector<Analysis> random_launches(int count, unsigned seed) {
  std::mt19937 random(seed);
  const std::vector<const KernelEntry*> kernels = kernels_of_table();
  const auto extent = [&] { return 1 << random() % 13; };
  std::vector<Analysis> all;
  while (static_cast<int>(all.size()) < count) {
    const KernelEntry& kernel = *kernels[random() % kernels.size()];
    const auto& devices = device_table();
    const DeviceRow& device = devices[random() % devices.size()];
    Problem p = default_problem(kernel.info);
    p.m = extent() + static_cast<int>(random() % 8), p.n = extent(), p.k = extent();
    const TileConfig tile =
        random() % 4 == 0 ? kernel.sliders.defaults() : random_tile(kernel, random);
    if (!kernel.validate(tile, p, device.limits).legal()) continue;
    const KernelPlan plan = kernel.plan(tile, p, device.limits.sm_count);
    CompiledFacts compiled;
    if (random() % 2) compiled = {static_cast<int>(32 + random() % 200), 0};
    if (random() % 8 == 0) compiled.spill_bytes = static_cast<int>(random() % 256);
    all.push_back(analyse(plan, p, launch_of(plan), device, compiled));
  }
  return all;
}

double sum_of(const std::array<double, kCauses>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

TEST(TimeDifference, TheCausesOfTwoLaunchesAddUpAndTurnRoundWithThem) {
  const std::vector<Analysis> all = random_launches(400, 7);
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    const Prediction &a = all[i].prediction, &b = all[i + 1].prediction;
    const auto parts = time_difference(a, b), back = time_difference(b, a);
    const double scale = 1e-9 * (a.us + b.us);
    ASSERT_NEAR(sum_of(parts), a.us - b.us, scale) << i;
    for (int c = 0; c < kCauses; ++c) ASSERT_NEAR(parts[c], -back[c], scale) << i << " " << c;
  }
}

TEST(TimeDifference, ALaunchDoesNotDifferFromItself) {
  for (const Analysis& a : random_launches(50, 8)) {
    for (const double part : time_difference(a.prediction, a.prediction)) EXPECT_EQ(part, 0);
    for (const CauseRow& row : causes()) EXPECT_EQ(cause_words(row.cause, a, a), "") << row.id;
  }
}

TEST(TimeDifference, WhatIsTheSameInBothIsNoCause) {
  const std::vector<Analysis> all = random_launches(200, 9);
  const auto part = [](const std::array<double, kCauses>& parts, Cause c) {
    return parts[static_cast<size_t>(c)];
  };
  for (const Analysis& a : all) {
    Prediction slower = a.prediction;  // by DRAM alone
    slower.dram_us *= 2;
    const auto parts = time_difference(slower, a.prediction);
    for (const CauseRow& row : causes()) {
      if (row.cause == Cause::dram) continue;
      EXPECT_NEAR(part(parts, row.cause), 0, 1e-12) << row.id;
    }
    EXPECT_GE(part(parts, Cause::dram), 0);
  }
}

TEST(TimeDifference, EachCauseHasItsRow) {
  ASSERT_EQ(causes().size(), static_cast<size_t>(kCauses));
  std::set<std::string> ids{kUnexplained};
  for (int i = 0; i < kCauses; ++i) {
    EXPECT_EQ(static_cast<int>(causes()[i].cause), i);
    EXPECT_TRUE(ids.insert(causes()[i].id).second);
  }
}

TEST(TimeDifference, WordsSayWhatIsOtherwise) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  Problem p = default_problem(kernel.info);
  p.m = p.n = p.k = 4096;
  const DeviceRow& device = device_table()[0];
  TileConfig few = kernel.sliders.defaults(), many = few;
  set(few, TileFieldId::stages, 2), set(many, TileFieldId::stages, 3);
  const auto of = [&](const TileConfig& tile) {
    const KernelPlan plan = kernel.plan(tile, p, device.limits.sm_count);
    return analyse(plan, p, launch_of(plan), device);
  };
  const std::string words = cause_words(Cause::occupancy, of(few), of(many));
  EXPECT_NE(words.find("2 stages, not 3"), std::string::npos) << words;
  EXPECT_EQ(cause_words(Cause::compute, of(few), of(many)), "");
}

}  // namespace
}  // namespace tilescope::model
