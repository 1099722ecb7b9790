// In which order C is verified: nothing twice, nothing left out, what is looked at first.
#include "core/model/verification_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/every_kernel.h"
#include "tests/random_tile.h"

namespace tilescope::model {
namespace {

struct Case {
  KernelPlan plan;
  Problem problem;
};

/// Of each kernel its default tile and random legal ones, on problems with and without edges.
std::vector<Case> cases() {
  std::vector<Case> all;
  std::mt19937 random(39);
  for (const KernelEntry& kernel : kernel_table()) {
    Problem p = default_problem(kernel.info);
    for (const Coord size : {Coord{4096, 4096}, {1000, 3001}, {8, 4096}, {1, 1}, {65, 20000}}) {
      p.m = size.row, p.n = size.col, p.k = size.row == 1000 ? 521 : 4096;
      TileConfig tile = kernel.sliders.defaults();
      for (int i = 0; i < 4; ++i, tile = random_tile(kernel, random)) {
        if (!kernel.validate(tile, p, DeviceLimits()).legal()) continue;
        all.push_back({kernel.plan(tile, p, 132), p});
      }
    }
  }
  return all;
}

TEST(CtaGroups, StoreEachTileOnceAndNameEachCta) {
  for (const Case& c : cases()) {
    std::map<std::pair<int, int>, int> stored;
    std::set<int> ctas;
    for (int g = 0; g < cta_groups(c.plan); ++g) {
      const CtaGroup group = cta_group(c.plan, g);
      ctas.insert(group.ctas.begin(), group.ctas.end());
      for (const Coord tile : group.completed) {
        ++stored[{tile.row, tile.col}];
        EXPECT_EQ(group_of_tile(c.plan, tile), g);
        EXPECT_NE(std::ranges::find(group.tiles, tile), group.tiles.end());
      }
    }
    EXPECT_EQ(static_cast<int>(stored.size()), c.plan.work.raster.tiles());
    for (const auto& [tile, times] : stored) EXPECT_EQ(times, 1);
    EXPECT_EQ(static_cast<long long>(ctas.size()), cta_count(c.plan.work));
  }
}

TEST(VerificationOrder, EndsWithEachGroupDoneOnce) {
  for (const Case& c : cases()) {
    VerificationOrder order(c.plan, c.problem);
    EXPECT_FALSE(order.whole());
    std::set<int> done;
    for (std::vector<int> part; !(part = order.next({})).empty();) {
      for (const int g : part) EXPECT_TRUE(done.insert(g).second) << g;
      EXPECT_EQ(order.next({}), part) << "what was dropped comes again";
      order.done(part);
    }
    EXPECT_TRUE(order.whole());
    EXPECT_EQ(static_cast<int>(done.size()), cta_groups(c.plan));
    EXPECT_EQ(order.ctas(), order.of_ctas());
    EXPECT_EQ(static_cast<long long>(order.of_ctas()), cta_count(c.plan.work));
  }
}

/// 4096³.
Problem large_problem(const KernelEntry& entry) {
  Problem p = default_problem(entry.info);
  p.m = p.n = p.k = 4096;
  return p;
}

TEST(VerificationOrder, WhatIsShownComesFirstThenEdgesAndASpread) {
  for (const KernelEntry& entry : kernel_table()) {
    const Problem p = large_problem(entry);
    const KernelPlan plan = entry.plan(entry.sliders.defaults(), p, 132);
    VerificationOrder order(plan, p);
    const int shown[] = {cta_groups(plan) / 3};
    const std::vector<int> first = order.next(shown);
    EXPECT_EQ(first.front(), shown[0]) << entry.info.id;
    std::set<int> early;
    while (order.ctas() < order.of_ctas() / 8) {
      const std::vector<int> part = order.next({});
      early.insert(part.begin(), part.end());
      order.done(part);
    }
    EXPECT_TRUE(early.contains(0)) << entry.info.id;
    EXPECT_TRUE(early.contains(cta_groups(plan) - 1)) << entry.info.id;
    // Of each quarter of the grid something.
    for (int quarter = 0; quarter < 4; ++quarter) {
      EXPECT_TRUE(std::ranges::any_of(early, [&](int g) {
        return g >= cta_groups(plan) / 4 * quarter && g < cta_groups(plan) / 4 * (quarter + 1);
      })) << entry.info.id;
    }
    ASSERT_FALSE(order.whole()) << entry.info.id;
    // Chosen later, it comes next.
    const auto left = [&] {
      for (int g = 0;; ++g) {
        if (!early.contains(g)) return g;
      }
    }();
    const int chosen[] = {left};
    EXPECT_EQ(order.next(chosen).front(), left);
  }
}

// A part is dropped when somebody edits: it must not be all of the work.
TEST(VerificationOrder, PartsAreSmall) {
  for (const KernelEntry& entry : kernel_table()) {
    const Problem p = large_problem(entry);
    const KernelPlan plan = entry.plan(entry.sliders.defaults(), p, 132);
    VerificationOrder order(plan, p);
    int parts = 0;
    for (std::vector<int> part; !(part = order.next({})).empty(); ++parts) order.done(part);
    EXPECT_GE(parts, 16) << entry.info.id;
    EXPECT_LE(parts, 2000) << entry.info.id;
  }
}

}  // namespace
}  // namespace tilescope::model
