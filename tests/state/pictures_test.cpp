// What the pictures are told: one source for waves, a record with its date, nothing of another
// choice's trace.
#include "app/features/fragment/fragment_picture.h"
#include "app/features/fragment/fragment_view.h"
#include "app/features/tiling/tiling_picture.h"
#include "app/features/timeline/timeline_picture.h"
#include "app/features/traffic/roofline_picture.h"
#include "app/state/feature.h"
#include "app/state/scene_words.h"

#include <gtest/gtest.h>

#include "app/state/edit.h"
#include "app/state/residency.h"
#include "core/model/device_table.h"

namespace tilescope {
namespace {

AppState state_of(const char* kernel, int extent) {
  AppState state = initial_state();
  set_kernel(state, kernel);
  Problem p = state.edit.problem;
  p.m = p.n = p.k = extent;
  set_problem(state, p);
  return state;
}

int waves_of(const viz::TilingState& t) {
  return ceil_div(t.plan.work.raster.tiles(), t.ctas_per_wave);
}

TEST(Residency, TheGridAndTheBudgetCountTheSameWaves) {
  AppState state = state_of("thread_tile_2d", 4096);
  const Residency guessed = residency(state);
  EXPECT_TRUE(guessed.estimated);
  EXPECT_TRUE(tiling_picture(state, 0).waves_estimated);
  EXPECT_EQ(waves_of(tiling_picture(state, 0)), guessed.waves.count);
  // What the compiler tells counts for both.
  state.results.edit_serial = state.edit_serial;
  state.results.compile.emplace();
  state.results.compile->registers = 255;
  const Residency known = residency(state);
  EXPECT_FALSE(known.estimated);
  EXPECT_FALSE(tiling_picture(state, 0).waves_estimated);
  EXPECT_GT(known.waves.count, guessed.waves.count);
  EXPECT_EQ(waves_of(tiling_picture(state, 0)), known.waves.count);
  // Of another edit they tell nothing.
  state.results.edit_serial = 0;
  EXPECT_TRUE(residency(state).estimated);
}

TEST(Pictures, TheRooflineShowsARecordWithItsDateBesideTheModel) {
  AppState state = state_of("mma_multistage", 4096);
  viz::RooflineState r = roofline_picture(state);
  EXPECT_FALSE(r.achieved);
  ASSERT_TRUE(r.modelled);
  EXPECT_EQ(*r.modelled, state.derived.prediction.tflops * 1e12);
  state.results.edit_serial = state.edit_serial;
  state.results.measured.emplace();
  state.results.measured->standing = "recorded";
  state.results.measured->date = "2026-11-20";
  state.results.measured->tflops = 512;
  r = roofline_picture(state);
  ASSERT_TRUE(r.achieved && r.modelled);
  EXPECT_EQ(*r.achieved, 512e12);
  EXPECT_EQ(r.achieved_name, "recorded 2026-11-20");
  state.results.measured->standing = "measured";
  EXPECT_EQ(roofline_picture(state).achieved_name, "measured");
}

TEST(Pictures, TheRooflineCountsElementsOfEachOperand) {
  AppState state = state_of("mma_multistage", 4096);
  const viz::RooflineState bytes = roofline_picture(state);
  state.view.count_elements = true;
  const viz::RooflineState elements = roofline_picture(state);
  EXPECT_EQ(elements.unit, "element");
  ASSERT_EQ(elements.levels.size(), bytes.levels.size());
  const viz::RooflineLevel &dram = elements.levels.back(), &in_bytes = bytes.levels.back();
  EXPECT_EQ(dram.kind, viz::RooflineLevel::Kind::dram);
  EXPECT_DOUBLE_EQ(dram.intensity, 2.0 * 4096 / 3);
  EXPECT_DOUBLE_EQ(in_bytes.intensity, 2.0 * 4096 / 8);
  // The roof that a level puts over the kernel is the same, in whichever unit.
  EXPECT_DOUBLE_EQ(dram.intensity * dram.per_second, in_bytes.intensity * in_bytes.per_second);
}

TEST(Pictures, NothingIsLitByTheTraceOfAnotherChoice) {
  AppState state = state_of("mma_multistage", 256);
  worker::TraceResult trace;
  trace.warps = 1, trace.k_slices = trace.k_end = state.derived.plan.work.k_slices;
  trace.tile = {0, 0};
  worker::TraceEvent load;
  load.kind = worker::TraceEvent::Kind::load;
  load.k_step = 0, load.stage = 0, load.shared = true, load.first_raw = 0;
  trace.events = {load};
  trace.raw.resize(1);
  trace.raw[0].touched = {{0, 0, 0, 16, 16}};
  select_cta(state, {0, 0});
  select_warp(state, 0);
  state.results.edit_serial = state.edit_serial;
  state.results.trace = std::make_shared<worker::TraceResult>(trace);
  state.results.timeline = std::make_shared<Timeline>(trace);
  EXPECT_TRUE(trace_is_of_choice(state));
  EXPECT_FALSE(tiling_picture(state, 0).lit.empty());
  EXPECT_FALSE(tiling_picture(state, 0).stages.empty());
  EXPECT_TRUE(timeline_picture(state, moment_of(state)).stale.empty());
  select_cta(state, {1, 0});
  EXPECT_TRUE(tiling_picture(state, 0).lit.empty());
  EXPECT_EQ(timeline_picture(state, moment_of(state)).stale, "of CTA 0,0, chosen before");
  select_cta(state, {0, 0});
  set_tile_field(state, TileFieldId::stages, 2);
  EXPECT_TRUE(tiling_picture(state, 0).lit.empty());
  EXPECT_TRUE(tiling_picture(state, 0).stages.empty());
  EXPECT_EQ(timeline_picture(state, moment_of(state)).stale, "of the tile before");
}

}  // namespace
}  // namespace tilescope
