// Landscape, curve and sweep as plain functions: cells, what is known of them, what is left to do.
#include "app/features/tune/landscape.h"
#include "app/state/rule_kind.h"

#include <gtest/gtest.h>

#include "app/features/tune/error_curve.h"
#include "app/features/tune/sweep.h"
#include "app/features/tune/tune_pictures.h"
#include "core/model/names.h"
#include "tests/state/tune_support.h"

namespace tilescope {
namespace {

LandscapeCell& cell_at(Landscape& land, int across, int down) {
  for (size_t i = 0; i < land.cells.size(); ++i) {
    if (land.columns[i % land.columns.size()] == across &&
        land.rows[i / land.columns.size()] == down) {
      return land.cells[i];
    }
  }
  throw std::out_of_range("no such cell");
}

TEST(Landscape, OfEveryKernelSaysOfEachCellWhatIsKnown) {
  AppState state = state_with_card();
  for (const KernelEntry& kernel : kernel_table()) {
    set_kernel(state, kernel.info.id);
    const Landscape land = landscape(state);
    ASSERT_EQ(land.cells.size(), land.columns.size() * std::max<size_t>(1, land.rows.size()));
    int present = 0;
    for (size_t i = 0; i < land.cells.size(); ++i) {
      const LandscapeCell& cell = land.cells[i];
      present += cell.present;
      const bool runs = kernel.validate(cell.tile, state.edit.problem, state.limits).legal();
      EXPECT_EQ(cell.legal(), runs) << kernel.info.id;
      EXPECT_EQ(cell.standing, runs ? Standing::modelled : Standing::none);
      EXPECT_NE(rule_kind(cell.violation.rule).letter.empty(), !runs);
      EXPECT_EQ(why_illegal(state, cell).empty(), runs) << cell_words(state, land, i);
    }
    EXPECT_EQ(present, 1) << kernel.info.id;
    EXPECT_EQ(land.best, -1) << "a model's bound is no best";
  }
}

// The error of C is drawn below the slider that changes it, of what can run, and nowhere else.
TEST(ErrorCurve, IsOfSlidersThatMoveSumsToRegisters) {
  AppState state = state_with_card();
  for (const KernelEntry& kernel : kernel_table()) {
    set_kernel(state, kernel.info.id);
    for (int i = 0; i < kernel.sliders.count; ++i) {
      const TileFieldId field = kernel.sliders.slider[i].field;
      const Landscape line = cut_along(state, field);
      const viz::CurveState curve = error_picture(state, line);
      if (field != TileFieldId::promote) {
        // A deeper slice moves its sums less often, too.
        const bool changes =
            field == TileFieldId::block_k && kernel.sliders.find(TileFieldId::promote);
        EXPECT_EQ(curve.points.empty(), !changes) << kernel.info.id << " " << model::name_of(field);
        continue;
      }
      ASSERT_EQ(curve.points.size(), line.cells.size());
      double before = 0;
      for (size_t at = 0; at < line.cells.size(); ++at) {
        const viz::CurvePoint& point = curve.points[at];
        const bool runs = line.cells[at].legal();
        EXPECT_EQ(point.standing, runs ? viz::Standing::modelled : viz::Standing::none);
        EXPECT_EQ(point.letter.empty(), runs);
        EXPECT_FALSE(error_words(state, line, at).empty());
        if (!runs || line.columns[at] == 0) continue;  // 0: never, the most of all
        EXPECT_GT(point.value, before);
        before = point.value;
      }
      EXPECT_GT(before, 0);
      if (line.columns.front() == 0) EXPECT_GE(curve.points.front().value, before);
    }
  }
}

TEST(Landscape, TakesWhatFitsTheRestOfThePresentTile) {
  AppState state = state_with_card();
  worker::KnownResult here = known(state, "mma_multistage", 400), there = here, other = here;
  there.request.tile.block_n = 256;
  there.tflops = 500, there.measured = false;
  other.request.tile.stages = 4;  // not of this landscape
  other.tflops = 600;
  results_found(state, results_of(state), {here, there, other});
  Landscape land = landscape(state);
  EXPECT_EQ(cell_at(land, 128, 128).standing, Standing::measured);
  EXPECT_TRUE(cell_at(land, 128, 128).present);
  EXPECT_EQ(cell_at(land, 256, 128).standing, Standing::recorded);
  EXPECT_EQ(land.cells[static_cast<size_t>(land.best)].tflops, 500);
  EXPECT_EQ(land.count(Standing::measured), 1);
  // The best of every number of stages:
  vary_also(state, TileFieldId::stages, true);
  land = landscape(state);
  EXPECT_EQ(cell_at(land, 128, 128).tflops, 600);
  EXPECT_EQ(cell_at(land, 128, 128).tile.stages, 4) << "where a click goes";
  EXPECT_EQ(cell_at(land, 128, 128).timed, 2);
  vary_also(state, TileFieldId::stages, false);
  // Another problem has a landscape of its own.
  Problem p = state.edit.problem;
  p.k = 2048;
  set_problem(state, p);
  EXPECT_EQ(landscape(state).count(Standing::measured), 0);
}

TEST(Landscape, IllegalCellsHaveTheirReason) {
  AppState state = state_with_card();
  choose_across(state, TileFieldId::stages);
  Landscape land = landscape(state);
  const LandscapeCell& cell = cell_at(land, 8, 128);
  EXPECT_EQ(rule_kind(cell.violation.rule).letter, "S");
  const auto index = static_cast<size_t>(&cell - land.cells.data());
  const std::string words = cell_words(state, land, index);
  EXPECT_NE(words.find("8 stages cannot run\nshared memory: 8 stages"), std::string::npos) << words;
  const viz::LandscapeState picture = landscape_picture(state, land);
  EXPECT_EQ(picture.cells[index].letter, "S");
  bool explained = false;
  for (const viz::LandscapeKey& key : picture.keys) explained = explained || key.mark == "S";
  EXPECT_TRUE(explained);
}

TEST(Landscape, AxesAreOfTheKernelAndSwap) {
  AppState state = state_with_card();
  EXPECT_EQ(landscape_axes(state).across, TileFieldId::block_n);
  EXPECT_EQ(landscape_axes(state).down, TileFieldId::block_m);
  choose_across(state, TileFieldId::block_m);
  EXPECT_EQ(landscape_axes(state).across, TileFieldId::block_m);
  EXPECT_EQ(landscape_axes(state).down, TileFieldId::block_n);
  choose_down(state, TileFieldId::stages);
  EXPECT_EQ(landscape_axes(state).down, TileFieldId::stages);
  set_kernel(state, "naive");  // which has no stages
  for (const TileFieldId field : all_of(landscape_axes(state)))
    EXPECT_TRUE(state.derived.kernel->sliders.find(field));
  set_kernel(state, "mma_multistage");
  EXPECT_EQ(landscape_axes(state).down, TileFieldId::stages) << "as it was chosen";
}

TEST(Landscape, ACurveIsOneSliderWithItsOwnValues) {
  AppState state = state_with_card();
  worker::KnownResult two = known(state, "mma_multistage", 300);
  two.request.tile.stages = 2;
  results_found(state, results_of(state), {two});
  const Landscape line = cut_along(state, TileFieldId::stages);
  const Slider& slider = *state.derived.kernel->sliders.find(TileFieldId::stages);
  ASSERT_EQ(line.cells.size(), static_cast<size_t>(slider.count));
  const viz::CurveState curve = curve_picture(state, line);
  for (size_t i = 0; i < curve.points.size(); ++i) {
    EXPECT_EQ(curve.points[i].label, std::to_string(slider.values[i]));
    EXPECT_EQ(curve.points[i].present, slider.values[i] == state.edit.rung().tile.stages);
  }
  EXPECT_EQ(curve.points[0].standing, viz::Standing::measured);
  EXPECT_EQ(curve.points[1].standing, viz::Standing::modelled);
  EXPECT_EQ(curve.points.back().letter, "S");
}

TEST(Landscape, SaysWhetherARecordingIsOfTheKernelAsItIs) {
  AppState state = state_with_card();
  worker::KnownResult recorded = known(state, "mma_multistage", 400);
  recorded.measured = false, recorded.request.tile = state.edit.rung().tile;
  recorded.arch = "sm_90", recorded.revision = "then";
  worker::KnownResult other = recorded;
  other.request.tile.block_n = 256;
  worker::KnownResult unnamed = recorded;
  unnamed.request.tile.block_m = 64, unnamed.revision.clear();
  results_found(state, results_of(state), {recorded, other, unnamed});
  const auto words = [&](const TileConfig& tile) {
    const Landscape land = landscape(state);
    for (size_t i = 0; i < land.cells.size(); ++i) {
      if (land.cells[i].tile == tile) return cell_words(state, land, i);
    }
    return std::string("no such cell");
  };
  const auto older_cells = [&] {
    const Landscape land = landscape(state);
    int count = 0;
    for (const viz::LandscapeCell& cell : landscape_picture(state, land).cells) count += cell.older;
    return count;
  };
  const auto has = [&](const TileConfig& tile, const char* part) {
    return words(tile).find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(other.request.tile,
                  "Not checked: whether the kernel has changed since. Going "
                  "there does.\n"))
      << words(other.request.tile);
  EXPECT_TRUE(has(unnamed.request.tile, "does not say which text")) << words(unnamed.request.tile);
  EXPECT_EQ(older_cells(), 0);
  mark_recording(state, recorded.request, "then", true);
  EXPECT_TRUE(has(recorded.request.tile, "recorded 2026-11-22 with an older kernel"));
  EXPECT_TRUE(has(other.request.tile, "; for another tile of that day or later it has."));
  EXPECT_EQ(older_cells(), 1) << "what was not checked is not marked";
  mark_recording(state, other.request, "then", false);
  EXPECT_FALSE(has(other.request.tile, "Not checked"));
  EXPECT_FALSE(has(other.request.tile, "older kernel"));
  // Measured here: known by its text.
  worker::KnownResult own = recorded;
  own.measured = own.judged = true;
  results_found(state, results_of(state), {own});
  EXPECT_FALSE(has(own.request.tile, "Not checked"));
}

TEST(Landscape, ModelsOnlyAFewTilesAFrame) {
  AppState state = state_with_card();
  state.models->begin_frame(3);
  EXPECT_EQ(landscape(state).count(Standing::modelled), 3 + 1) << "the present one is known";
  EXPECT_TRUE(state.models->is_behind());
  for (int i = 0; i < 10; ++i) {
    state.models->begin_frame(3);
    landscape(state);
  }
  EXPECT_FALSE(state.models->is_behind()) << "what it knows is not computed again";
}

// However long one of them takes, so that each is there at some time.
TEST(Landscape, ModelsOneTileAFrameInNoTime) {
  AppState state = state_with_card();
  for (int frame = 1; frame <= 4; ++frame) {
    state.models->begin_frame(3, 0);
    EXPECT_EQ(landscape(state).count(Standing::modelled), frame + 1);
  }
}

TEST(Sweep, MeasuresWhatIsNotMeasuredNearestFirst) {
  AppState state = state_with_card();
  const std::vector<TileFieldId> axes = all_of(landscape_axes(state));
  const Sweep all = plan_sweep(state, axes);
  const Landscape land = landscape(state);
  EXPECT_EQ(all.illegal, land.illegal());
  EXPECT_EQ(all.cells.size() + static_cast<size_t>(all.illegal), land.cells.size());
  EXPECT_TRUE(all.cells.front().tile == state.edit.rung().tile) << "then its neighbours";
  worker::KnownResult measured = known(state, "mma_multistage", 400), recorded = measured;
  recorded.request.tile.block_n = 256, recorded.measured = false;
  worker::KnownResult older = measured;
  older.request.tile.block_n = 64, older.older = true;
  results_found(state, results_of(state), {measured, recorded, older});
  const Sweep rest = plan_sweep(state, axes);
  EXPECT_EQ(rest.known, 1);
  EXPECT_EQ(rest.cells.size() + 1, all.cells.size())
      << "what another session recorded or another text did is measured here";
}

TEST(Sweep, SaysWhyItCannotStart) {
  AppState state = state_with_card();
  const std::vector<TileFieldId> axes = {TileFieldId::stages};
  EXPECT_EQ(sweep_blocker(state, plan_sweep(state, axes)), "");
  choose_device(state, kEmulator);
  EXPECT_EQ(sweep_blocker(state, plan_sweep(state, axes)),
            "A sweep measures on a GPU: choose one at the right of the menu.");
  devices_found(state, {});
  EXPECT_EQ(sweep_blocker(state, plan_sweep(state, axes)),
            "A sweep measures on a GPU, and this machine has none that works: what is shown is "
            "recorded or modelled.");
}

TEST(Sweep, CountsAndForetells) {
  Sweep sweep;
  sweep.kernel = "naive";
  sweep.cells.resize(10);
  EXPECT_EQ(progress_text(sweep), "0 of 10 tiles");
  sweep.cells[0].state = sweep.cells[1].state = SweepCell::State::done;
  sweep.cells[2].state = SweepCell::State::failed;
  sweep.seconds = 3.1;
  EXPECT_EQ(progress_text(sweep), "3 of 10 tiles, 8 s left");
  sweep.seconds = 300;
  EXPECT_EQ(progress_text(sweep), "3 of 10 tiles, 12 min left");
  sweep.known = 4;
  EXPECT_EQ(summary_of(sweep), "Measured 2 tiles of naive; 4 were known; 1 failed.");
}

}  // namespace
}  // namespace tilescope
