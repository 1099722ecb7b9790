// nvMatmulHeuristics's tiles as presets of the present kernel, and what its answers are of.
#include "app/features/second_opinion/opinion.h"

#include <gtest/gtest.h>

#include "app/state/edit.h"

namespace tilescope {
namespace {

using worker::OpinionTile;

OpinionTile tile(int m, int n, int k, int warp_m, int warp_n, int stages, int group = 1) {
  return {.block_m = m,
          .block_n = n,
          .block_k = k,
          .warp_m = warp_m,
          .warp_n = warp_n,
          .warps_k = 1,
          .stages = stages,
          .splits = 1,
          .group = group,
          .us = 302.34};
}

void answer(AppState& state, std::vector<OpinionTile> best) {
  worker::SecondOpinion o;
  o.library = "nvMatmulHeuristics 0.1.0", o.gpu = "H200 SXM";
  o.best = std::move(best);
  state.of<Opinion>().of = opinion_question(state);
  state.of<Opinion>().answer = std::make_shared<const worker::SecondOpinion>(std::move(o));
}

TEST(SuggestedTiles, AreOnTheSlidersAsTheyAre) {
  AppState state = initial_state();
  EXPECT_TRUE(suggested_tiles(state).presets.empty()) << "nothing was said yet";
  set_tile_field(state, TileFieldId::swizzle, 0);
  answer(state, {tile(256, 128, 64, 64, 64, 4, 8)});
  const Suggestions s = suggested_tiles(state);
  ASSERT_EQ(s.presets.size(), 1u);
  EXPECT_EQ(s.left_out, "");
  const TileConfig& t = s.presets[0].edit.rung().tile;
  EXPECT_EQ(t.block_m, 256);
  EXPECT_EQ(t.block_n, 128);
  EXPECT_EQ(t.block_k, 64);
  EXPECT_EQ(t.warp_m, 64);
  EXPECT_EQ(t.warp_n, 64);
  EXPECT_EQ(t.stages, 4);
  EXPECT_EQ(t.raster, 8);
  EXPECT_EQ(t.swizzle, 1) << "of which it says nothing: the kernel's default";
  EXPECT_EQ(s.presets[0].edit.problem, state.edit.problem);
  EXPECT_EQ(s.presets[0].edit.rung().kernel, state.edit.rung().kernel);
  EXPECT_EQ(s.presets[0].name, tile_label(s.presets[0].edit) + " ~302.3 µs");
  EXPECT_EQ(s.presets[0].source, "nvMatmulHeuristics 0.1.0 for an H200 SXM");
  set_tile(state, t);
  EXPECT_TRUE(state.derived.legal());
}

TEST(SuggestedTiles, GoToTheNearestStagesAndRasterAndSaySo) {
  AppState state = initial_state();
  answer(state, {tile(64, 64, 32, 32, 32, 9, 12), tile(64, 64, 32, 32, 32, 1, 100)});
  const Suggestions s = suggested_tiles(state);
  ASSERT_EQ(s.presets.size(), 2u);
  EXPECT_EQ(s.presets[0].edit.rung().tile.stages, 8);
  EXPECT_EQ(s.presets[0].edit.rung().tile.raster, 8) << "of two as near the lower one";
  EXPECT_EQ(s.presets[0].source,
            "nvMatmulHeuristics 0.1.0 for an H200 SXM, with 8 stages instead of 9, raster 8 "
            "instead of 12");
  EXPECT_EQ(s.presets[1].edit.rung().tile.stages, 2);
  EXPECT_EQ(s.presets[1].edit.rung().tile.raster, 32);
}

TEST(SuggestedTiles, OfWhichTheKernelHasNoneAreLeftOutAndNamed) {
  AppState state = initial_state();
  OpinionTile slices = tile(128, 128, 64, 64, 64, 3), split = slices;
  slices.warps_k = 2;
  split.splits = 4;
  answer(state,
         {tile(32, 32, 256, 16, 16, 2), tile(96, 128, 64, 48, 64, 3), tile(32, 32, 256, 32, 16, 2),
          tile(256, 256, 64, 64, 64, 8), slices, split, tile(128, 128, 64, 64, 64, 3)});
  const Suggestions s = suggested_tiles(state);
  ASSERT_EQ(s.presets.size(), 1u);
  EXPECT_EQ(s.presets[0].edit.rung().tile.stages, 3);
  EXPECT_EQ(s.left_out,
            "Left out, since mma_multistage has no such tile: 32×32×256, 96×128×64, 256×256×64, "
            "128×128×64");
  set_kernel(state, "mma_stream_k");
  answer(state, {split});
  ASSERT_EQ(suggested_tiles(state).presets.size(), 1u);
  EXPECT_EQ(suggested_tiles(state).presets[0].edit.rung().tile.splits, 4);
  split.splits = 5;
  answer(state, {split});
  EXPECT_EQ(suggested_tiles(state).presets[0].edit.rung().tile.splits, 4)
      << "never 0, which is Stream-K";
}

TEST(SuggestedTiles, ThatDifferInNothingOfTheKernelStandOnce) {
  AppState state = initial_state();
  set_kernel(state, "mma_sync");  // neither stages nor raster
  answer(state, {tile(128, 128, 64, 64, 64, 3, 8), tile(128, 128, 64, 64, 64, 5, 1)});
  EXPECT_EQ(suggested_tiles(state).presets.size(), 1u);
}

TEST(SuggestedTiles, AreLegalOnEveryKernelThatCanBeAsked) {
  for (const KernelEntry& kernel : kernel_table()) {
    AppState state = initial_state();
    set_kernel(state, kernel.info.id);
    if (!why_no_opinion(state).empty()) {
      const KernelPlan& plan = state.derived.plan;
      EXPECT_TRUE(plan.math() == Math::simt || plan.split.present()) << kernel.info.id;
      continue;
    }
    answer(state, {tile(128, 128, 64, 64, 64, 8, 8), tile(128, 128, 32, 64, 64, 4, 3)});
    const Suggestions s = suggested_tiles(state);
    EXPECT_FALSE(s.presets.empty()) << kernel.info.id;
    for (const Preset& preset : s.presets) {
      set_edit(state, preset.edit);
      EXPECT_TRUE(state.derived.legal()) << kernel.info.id << " " << preset.name;
    }
  }
}

TEST(SecondOpinion, IsNeverOlderThanTheSliders) {
  AppState state = initial_state();
  answer(state, {tile(128, 128, 64, 64, 64, 3)});
  EXPECT_NE(opinion_of_tile(state), nullptr);
  set_tile_field(state, TileFieldId::stages, 4);
  EXPECT_EQ(opinion_of_tile(state), nullptr);
  EXPECT_NE(opinion_of_problem(state), nullptr) << "its own tiles are those of the problem";
  undo(state);
  EXPECT_NE(opinion_of_tile(state), nullptr);
  Problem p = state.edit.problem;
  p.k = 2048;
  set_problem(state, p);
  EXPECT_EQ(opinion_of_problem(state), nullptr);
  undo(state);
  state.gpu.name = "NVIDIA H20";
  EXPECT_EQ(opinion_of_problem(state), nullptr);
  EXPECT_EQ(opinion_error(state), "");
  state.of<Opinion>() = {.of = opinion_question(state), .error = "No."};
  EXPECT_EQ(opinion_error(state), "No.");
  set_kernel(state, "mma_sync");
  EXPECT_EQ(opinion_error(state), "");
}

TEST(SecondOpinion, IsOfLegalTilesOfTensorCores) {
  AppState state = initial_state();
  EXPECT_EQ(why_no_opinion(state), "");
  set_tile_field(state, TileFieldId::stages, 8);
  ASSERT_FALSE(state.derived.legal());
  EXPECT_EQ(why_no_opinion(state), "nvMatmulHeuristics is asked of tiles that can be launched.");
  set_kernel(state, "naive");
  EXPECT_EQ(why_no_opinion(state), "nvMatmulHeuristics knows tensor-core kernels alone.");
}

}  // namespace
}  // namespace tilescope
