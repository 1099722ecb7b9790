// The ladder's figures and what is known of a problem: nothing of another problem or device.
#include "app/state/ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "app/features/tune/tune_pictures.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "tests/state/tune_support.h"

namespace tilescope {
namespace {

const LadderRow& rung_of(const std::vector<LadderPart>& parts, const std::string& kernel) {
  for (const LadderPart& part : parts) {
    for (const LadderRow& rung : part.rungs) {
      if (rung.kernel->info.id == kernel) return rung;
    }
  }
  throw std::out_of_range(kernel);
}

TEST(Ladder, HasEveryKernelOnce) {
  const AppState state = state_with_card();
  size_t rungs = 0;
  for (const LadderPart& part : ladder_parts(state)) {
    for (const LadderRow& rung : part.rungs) {
      ++rungs;
      EXPECT_EQ(rung.standing, Standing::modelled) << rung.kernel->info.id;
      EXPECT_GT(rung.tflops.value_or(0), 0) << rung.kernel->info.id;
      EXPECT_FALSE(rung.of_library) << "no library was timed";
      EXPECT_EQ(rung.present, rung.kernel->info.id == state.edit.rung().kernel);
    }
  }
  EXPECT_EQ(rungs, static_cast<size_t>(kernel_table().count));
}

TEST(Ladder, ShowsTheBestTileBesideTheLibrary) {
  AppState state = state_with_card();
  worker::KnownResult slow = known(state, "mma_multistage", 300), fast = slow;
  fast.request.tile.stages = 4;
  fast.tflops = 500, fast.library = "cuBLASLt", fast.library_tflops = 800;
  worker::KnownResult recorded = known(state, "mma_sync", 200);
  recorded.measured = false, recorded.date = "2026-11-20";
  results_found(state, results_of(state), {slow, fast, recorded});
  const std::vector<LadderPart> parts = ladder_parts(state);
  const LadderRow& best = rung_of(parts, "mma_multistage");
  EXPECT_EQ(best.standing, Standing::measured);
  EXPECT_EQ(best.tflops, 500);
  EXPECT_DOUBLE_EQ(*best.of_library, 0.625);
  EXPECT_EQ(best.edit.rung().tile.stages, 4) << "a click goes to the best tile";
  EXPECT_EQ(rung_of(parts, "mma_sync").standing, Standing::recorded);
  EXPECT_DOUBLE_EQ(*rung_of(parts, "mma_sync").of_library, 0.25) << "of the same library";
  EXPECT_EQ(rung_of(parts, "naive").standing, Standing::modelled) << "other types, other results";
  EXPECT_FALSE(rung_of(parts, "naive").of_library);
  const std::string words = rung_words(best, *rung_at(parts, 10).part);
  EXPECT_NE(words.find("500 TFLOPS, 62.5 % of cuBLASLt: 800 TFLOPS, measured 2026-11-22"),
            std::string::npos)
      << words;
}

// Each run brings the library's time of its own minute with it: divided by those, the faster of two
// tiles could show the lower share.
TEST(Ladder, SharesAreOfTheHeadersFigureAndStandInTheOrderOfSpeeds) {
  std::mt19937 random(43);
  const auto any = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int i = 0; i < 50; ++i) {
    AppState state = state_with_card();
    std::vector<worker::KnownResult> results;
    for (const LadderGroup& group : ladder_groups()) {
      for (const KernelEntry* kernel : group.kernels) {
        for (const int stages : {2, 3, 4}) {
          worker::KnownResult r = known(state, kernel->info.id, any(100, 600));
          r.request.tile.stages = stages, r.measured = any(0, 1) < 0.5;
          r.date = any(0, 1) < 0.5 ? "2026-11-20" : "2026-11-21";
          if (any(0, 1) < 0.8) r.library = "cuBLASLt 13.1", r.library_tflops = any(600, 750);
          results.push_back(r);
        }
      }
    }
    std::ranges::shuffle(results, random);
    results_found(state, results_of(state), results);
    for (const LadderPart& part : ladder_parts(state)) {
      for (const LadderRow& rung : part.rungs) {
        if (!part.library || !rung.tflops) continue;
        ASSERT_TRUE(rung.of_library) << rung.kernel->info.id;
        EXPECT_DOUBLE_EQ(*rung.of_library * part.library->tflops, *rung.tflops);
      }
    }
    // Best tiles: those of the list, and the last measurement that the list has not.
    worker::MeasureResult now;
    now.standing = "measured", now.device_name = state.gpu.name;
    now.tflops = any(100, 600), now.library_tflops = any(600, 750);
    state.results.edit_serial = state.edit_serial, state.results.measured = now;
    remember_result(state);
    state.history.back().edit.change_rung().tile.stages = 5;
    const auto library = library_of(state, state.edit.problem);
    ASSERT_TRUE(library);
    EXPECT_DOUBLE_EQ(*point_of(state).of_library * library->tflops, *now.tflops) << "the headline";
    const std::vector<HistoryPoint> tiles = known_tiles(state);
    ASSERT_EQ(tiles.size(), 4u);
    for (const HistoryPoint& tile : tiles) {
      EXPECT_DOUBLE_EQ(tile.of_library.value_or(0) * library->tflops, *tile.tflops) << tile.label;
    }
  }
}

TEST(Ladder, NothingIsShownOfAnotherProblemOrDevice) {
  AppState state = state_with_card();
  results_found(state, results_of(state), {known(state, "mma_multistage", 300)});
  EXPECT_EQ(rung_of(ladder_parts(state), "mma_multistage").standing, Standing::measured);
  Problem p = state.edit.problem;
  p.m = 2048;
  set_problem(state, p);
  EXPECT_EQ(rung_of(ladder_parts(state), "mma_multistage").standing, Standing::modelled);
  undo(state);
  EXPECT_EQ(rung_of(ladder_parts(state), "mma_multistage").standing, Standing::measured);
  p = state.edit.problem;
  set_layout(p, kNN);  // the size is the same, the problem is not
  set_problem(state, p);
  EXPECT_EQ(rung_of(ladder_parts(state), "mma_multistage").standing, Standing::modelled);
  undo(state);
  choose_device(state, kEmulator);
  EXPECT_EQ(rung_of(ladder_parts(state), "mma_multistage").standing, Standing::modelled);
}

TEST(Ladder, ARungThatCannotRunSaysWhy) {
  AppState state = state_with_card();
  state.devices[0].limits.sm = 70;  // before tensor cores had this instruction
  devices_found(state, state.devices);
  derive(state);
  const LadderRow rung = rung_of(ladder_parts(state), "mma_multistage");
  EXPECT_EQ(rung.standing, Standing::none);
  EXPECT_NE(rung.why_not.find("compute capability"), std::string::npos) << rung.why_not;
}

TEST(KnownResults, WhatIsMeasuredMeanwhileIsNotLost) {
  AppState state = state_with_card();
  worker::MeasureResult measured;
  measured.standing = "measured", measured.device_name = state.gpu.name;
  measured.tflops = 400, measured.time_us = 10;
  learn_result(state, state.edit, measured, "sm_90", "r");
  EXPECT_TRUE(known_results(state).empty()) << "the list is not there yet";
  results_found(state, results_of(state), {known(state, "mma_multistage", 300)});
  ASSERT_EQ(known_results(state).size(), 1u) << "the same tile";
  EXPECT_EQ(known_results(state)[0].tflops, 400);
  measured.tflops = 410;
  learn_result(state, state.edit, measured, "sm_90", "r");
  EXPECT_EQ(known_results(state)[0].tflops, 410) << "at once";
  measured.device_name = "Another card", measured.tflops = 999;
  learn_result(state, state.edit, measured, "sm_90", "r");
  EXPECT_EQ(known_results(state)[0].tflops, 410);
}

TEST(KnownResults, TheLibraryIsThatOfTheProblem) {
  AppState state = state_with_card();
  worker::KnownResult one = known(state, "mma_sync", 200), other = one;
  one.library_tflops = 700, one.date = "2026-11-22", one.measured = false;
  other.library_tflops = 650, other.date = "2026-11-21";
  other.request.tile.block_m = 64;
  results_found(state, results_of(state), {one, other});
  ASSERT_TRUE(library_of(state, state.edit.problem));
  EXPECT_EQ(library_of(state, state.edit.problem)->tflops, 650) << "measured before recorded";
  Problem p = state.edit.problem;
  set_layout(p, kNN);
  EXPECT_FALSE(library_of(state, p));
}

}  // namespace
}  // namespace tilescope
