// Why a tile takes its time: what it is compared with, and which neighbours should be faster.
#include "app/features/traffic/why.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "app/state/edit.h"
#include "app/state/history.h"
#include "tests/every_kernel.h"

namespace tilescope {
namespace {

HistoryPoint point_at(const Edit& edit) {
  HistoryPoint point;
  point.edit = edit;
  return point;
}

double sum(const model::Prediction& p) {
  return std::accumulate(std::begin(p.parts), std::end(p.parts), 0.0);
}

TEST(WhyTime, WithNothingToCompareWithIsThePredictionAlone) {
  const AppState s = initial_state();
  const WhyTime why = why_time(s);
  EXPECT_FALSE(why.reference);
  EXPECT_EQ(why.now.us, s.derived.prediction.us);
}

TEST(WhyTime, ComparesWithTheTileBeforeAndThenWithThePinnedOne) {
  AppState s = initial_state();
  remember_result(s);
  const std::string first = s.history.back().label;
  set_tile_field(s, TileFieldId::block_k, 32);
  WhyTime why = why_time(s);
  ASSERT_TRUE(why.reference);
  EXPECT_EQ(why.reference->name, "before: " + first);
  EXPECT_EQ(why.reference->edit.tile.block_k, 64);
  EXPECT_NE(why.reference->prediction.us, why.now.us);
  EXPECT_NEAR(sum(why.reference->prediction), why.reference->prediction.us, 1e-6);

  AppState wide = s;
  set_tile_field(wide, TileFieldId::block_n, 256);
  pin(s, point_at(wide.edit), "wide");
  why = why_time(s);
  ASSERT_TRUE(why.reference);
  EXPECT_EQ(why.reference->name, "pinned: wide");
  EXPECT_EQ(why.reference->edit.tile.block_n, 256);
}

TEST(WhyTime, ATileOfAnotherProblemOrTheSameOneIsNoReference) {
  AppState s = initial_state();
  remember_result(s);
  EXPECT_FALSE(why_time(s).reference) << "the same tile";
  Problem p = s.edit.problem;
  p.m = 1024;
  set_problem(s, p);
  EXPECT_FALSE(why_time(s).reference) << "another problem";
}

TEST(WhyTime, AnIllegalTileIsNoReference) {
  AppState s = initial_state();
  set_tile_field(s, TileFieldId::stages, 8);
  ASSERT_FALSE(s.derived.legal());
  pin(s, point_at(s.edit), "too much");
  set_tile_field(s, TileFieldId::stages, 3);
  EXPECT_FALSE(why_time(s).reference);
}

class EveryKernelsNeighbours : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelsNeighbours, every_kernel(), kernel_name);

TEST_P(EveryKernelsNeighbours, AreLegalFasterByTheModelAndSorted) {
  AppState s = initial_state();
  set_kernel(s, GetParam());
  bool complete = false;
  const std::vector<BetterTile> tiles = better_tiles(s, 3, &complete);
  EXPECT_TRUE(complete);
  EXPECT_LE(tiles.size(), 3u);
  double before = 1e300;
  for (const BetterTile& tile : tiles) {
    EXPECT_TRUE(s.derived.kernel->validate(tile.tile, s.edit.problem, s.limits).legal());
    EXPECT_FALSE(tile.label.empty());
    EXPECT_LE(tile.gain, before);
    before = tile.gain;
    // What the window shows once the sliders stand there, before the compile.
    AppState there = s;
    set_tile(there, tile.tile);
    EXPECT_NEAR(there.derived.prediction.tflops, s.derived.prediction.tflops * (1 + tile.gain),
                1e-6 * there.derived.prediction.tflops);
  }
}

TEST(BetterTiles, SayWhetherAllHadTheirTurn) {
  AppState s = initial_state();
  s.models->begin_frame(2);
  bool complete = true;
  better_tiles(s, 4, &complete);
  EXPECT_FALSE(complete);
  for (int frame = 0; frame < 50 && !complete; ++frame) {
    s.models->begin_frame(2);
    better_tiles(s, 4, &complete);
  }
  EXPECT_TRUE(complete);
}

/// 128×128×32 beside 64×64×32, at 4096³.
AppState large_beside_small() {
  AppState s = initial_state();
  set_tile_field(s, TileFieldId::block_k, 32);
  TileConfig small = s.edit.tile;
  small.block_m = small.block_n = 64, small.warp_m = small.warp_n = 32;
  AppState other = s;
  set_tile(other, small);
  pin(s, point_at(other.edit), "small");
  return s;
}

TEST(WhatWouldTurn, EachChangeTurnsItAndHalfOfItDoesNot) {
  const AppState s = large_beside_small();
  const WhyTime why = why_time(s);
  ASSERT_TRUE(why.reference);
  ASSERT_LT(why.now.us, why.reference->prediction.us);
  for (const model::CardChange& change : what_would_turn(s, why)) {
    const auto part =
        std::find_if(model::card_parts().begin(), model::card_parts().end(),
                     [&](const auto& p) { return p.name == std::string(change.part); });
    ASSERT_NE(part, model::card_parts().end());
    AppState on = s;
    part->scale(on.gpu, change.factor);
    on.limits = on.gpu.limits;
    const WhyTime there = why_time(on);
    ASSERT_TRUE(there.reference) << change.part;
    EXPECT_GT(there.now.us, there.reference->prediction.us) << change.part;
  }
  EXPECT_NE(turning_words(s, why).find("128×128×32"), std::string::npos) << turning_words(s, why);
}

TEST(WhatWouldTurn, FindsTheNearestChange) {
  // Faster as long as the L2 gives less than three times what it gives; never by anything else.
  const model::DeviceRow& card = model::device_table().front();
  const double limit = 2.9 * card.l2_bytes_per_clock;
  const auto changes = model::changes_that_turn(card, [&](const model::DeviceRow& other) {
    return other.l2_bytes_per_clock < limit ? -1.0 : 1.0;
  });
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(std::string(changes[0].part), "L2 bandwidth");
  EXPECT_EQ(changes[0].factor, 3);
  const auto never = [](const model::DeviceRow&) { return -1.0; };
  EXPECT_TRUE(model::changes_that_turn(card, never).empty());
}

TEST(WhatWouldTurn, NothingToCompareWithSaysNothing) {
  const AppState s = initial_state();
  EXPECT_EQ(turning_words(s, why_time(s)), "");
}

}  // namespace
}  // namespace tilescope
