// Why a tile takes its time: what it is compared with, and which neighbours should be faster.
#include "app/features/traffic/why.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "app/features/tune/landscape.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "core/model/climb.h"
#include "tests/every_kernel.h"
#include "tests/random_tile.h"
#include "tests/state/tune_support.h"

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
  EXPECT_EQ(why.reference->edit.rung().tile.block_k, 64);
  EXPECT_NE(why.reference->prediction.us, why.now.us);
  EXPECT_NEAR(sum(why.reference->prediction), why.reference->prediction.us, 1e-6);

  AppState wide = s;
  set_tile_field(wide, TileFieldId::block_n, 256);
  pin(s, point_at(wide.edit), "wide");
  why = why_time(s);
  ASSERT_TRUE(why.reference);
  EXPECT_EQ(why.reference->name, "pinned: wide");
  EXPECT_EQ(why.reference->edit.rung().tile.block_n, 256);
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
  const auto [tiles, refuted, fastest, complete] = better_tiles(s, 3);
  EXPECT_TRUE(complete);
  EXPECT_TRUE(refuted.empty() && !fastest) << "nothing was timed";
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
  bool complete = better_tiles(s, 4).complete;
  EXPECT_FALSE(complete);
  for (int frame = 0; frame < 50 && !complete; ++frame) {
    s.models->begin_frame(2);
    complete = better_tiles(s, 4).complete;
  }
  EXPECT_TRUE(complete);
}

/// Results of the present kernel's tile and of some around it, at random.
void time_some(AppState& state, std::mt19937& random) {
  std::vector<worker::KnownResult> results;
  const KernelEntry& kernel = *state.derived.kernel;
  const Edit edit = state.edit;
  const auto add = [&](const TileConfig& tile) {
    if (random() % 3 == 0) return;
    worker::KnownResult r = known(state, kernel.info.id, 100);
    r.request.tile = tile;
    // Around what the model says, so that clocks and model often disagree.
    const double model = *state.models->tflops(kernel, tile, edit.problem, state.gpu);
    r.tflops = model * std::uniform_real_distribution<double>(0.9, 1.1)(random);
    r.time_us = flops(edit.problem) / r.tflops * 1e-6;
    r.measured = random() % 2 == 0;
    results.push_back(r);
  };
  add(edit.rung().tile);
  for (int i = 0; i < kernel.sliders.count; ++i) {
    for (const int direction : {-1, 1}) {
      const auto next =
          model::neighbour(kernel.validator(), kernel.sliders, edit.rung().tile,
                           kernel.sliders.slider[i], direction, edit.problem, state.limits);
      if (next) add(next->tile);
    }
  }
  for (int i = 0; i < 20; ++i) {
    const TileConfig any = random_tile(kernel, random);
    if (kernel.validate(any, edit.problem, state.limits).legal()) add(any);
  }
  results_found(state, results_of(state), results);
}

TEST(BetterTiles, WhatWasTimedComesFirstAndAStarIsNeverPassedOver) {
  std::mt19937 random(44);
  int starred = 0, refuted = 0, far = 0;
  for (int i = 0; i < 150; ++i) {
    AppState s = state_with_card();
    set_kernel(
        s, kernel_table().entries[random() % static_cast<unsigned>(kernel_table().count)].info.id);
    time_some(s, random);
    const BetterTiles found = better_tiles(s, 4);
    const auto here = timed_point(s, s.edit);
    bool modelled = false;
    double before = 1e300;
    for (const BetterTile& tile : found.tiles) {
      if (!modelled && !is_timed(tile.standing)) modelled = true, before = 1e300;
      EXPECT_EQ(modelled, !is_timed(tile.standing)) << "timed ones first";
      EXPECT_GT(tile.gain, 0);
      EXPECT_LE(tile.gain, before);
      before = tile.gain;
      Edit there = s.edit;
      there.change_rung().tile = tile.tile;
      const auto clock = timed_point(s, there);
      EXPECT_EQ(clock.has_value(), is_timed(tile.standing)) << tile.label;
      if (!clock || !here) continue;
      EXPECT_NEAR(tile.gain, *clock->tflops / *here->tflops - 1, 1e-9) << tile.label;
    }
    for (const BetterTile& tile : found.refuted) {
      ++refuted;
      EXPECT_TRUE(tile.gain <= 0 && *tile.modelled_gain > 0) << tile.label;
    }
    // What Landscape stars, whatever its axes: the fastest that was timed.
    const Landscape land = landscape(s);
    if (land.best < 0) continue;
    const LandscapeCell& star = land.cells[static_cast<size_t>(land.best)];
    const double now =
        here ? *here->tflops
             : *s.models->tflops(*s.derived.kernel, s.edit.rung().tile, s.edit.problem, s.gpu);
    if (star.tile == s.edit.rung().tile || *star.tflops <= now) continue;
    ++starred;
    const bool near = !found.tiles.empty() && is_timed(found.tiles.front().standing);
    EXPECT_TRUE(near || found.fastest) << "a star, and no word of it";
    EXPECT_TRUE(!found.fastest || found.fastest->gain > 0);
    far += found.fastest.has_value();
  }
  EXPECT_GT(std::min({starred, refuted, far}), 5);
}

TEST(WhyTime, SaysWhatTheClockSaysAndWhereItDisagreesWithTheModel) {
  AppState s = state_with_card();
  worker::KnownResult here = known(s, "mma_multistage", 500), there = here;
  here.time_us = 275, there.time_us = 280.6;
  there.request.tile.block_k = 32;
  results_found(s, results_of(s), {here, there});
  AppState other = s;
  set_tile(other, there.request.tile);
  pin(s, point_at(other.edit), "short");
  WhyTime why = why_time(s);
  ASSERT_TRUE(why.timed && why.reference && why.reference->timed);
  EXPECT_EQ(why.timed->time_us, 275);
  EXPECT_EQ(why.reference->timed->time_us, 280.6);
  why.now.us = 300, why.reference->prediction.us = 281.5;
  EXPECT_EQ(disagreement_words(why),
            "Model and card disagree: by the model this tile takes ~18.5 µs longer, measured it "
            "takes 5.6 µs less.");
  why.now.us = 270;
  EXPECT_EQ(disagreement_words(why), "") << "both say that it is faster";
  why.reference->timed.reset();
  why.now.us = 300;
  EXPECT_EQ(disagreement_words(why), "") << "nobody knows";
}

/// 128×128×32 beside 64×64×32, at 4096³.
AppState large_beside_small() {
  AppState s = initial_state();
  set_tile_field(s, TileFieldId::block_k, 32);
  TileConfig small = s.edit.rung().tile;
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
