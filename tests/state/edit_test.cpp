#include "app/state/edit.h"

#include <gtest/gtest.h>

#include "app/state/presets.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

TEST(Edit, EverySliderValueLeavesAPictureOrAReason) {
  AppState state = initial_state();
  for (const KernelEntry& kernel : kernel_table()) {
    set_kernel(state, kernel.info.id);
    for (int i = 0; i < kernel.sliders.count; ++i) {
      const Slider& slider = kernel.sliders.slider[i];
      for (int j = 0; j < slider.count; ++j) {
        set_tile_field(state, slider.field, slider.values[j]);
        EXPECT_EQ(get(state.edit.rung().tile, slider.field), slider.values[j]);
        EXPECT_EQ(state.derived.legal(), state.derived.sentence.empty());
        EXPECT_GT(state.derived.plan.threads, 0);
        if (!state.derived.legal()) {
          ASSERT_TRUE(state.derived.nearest) << state.derived.sentence;
          EXPECT_TRUE(
              kernel.validate(*state.derived.nearest, state.edit.problem, state.limits).legal());
        }
      }
    }
  }
}

// What is wrong with the problem is said first; the tile may be wrong as well.
TEST(Edit, ATileWithoutAPlanIsNotDrawnWhateverElseIsWrong) {
  AppState state = initial_state();
  Edit edit = state.edit;
  edit.problem.lda = 1;
  edit.change_rung().tile.block_m = 64, edit.change_rung().tile.warp_m = 128;
  ASSERT_FALSE(has_plan(*state.derived.kernel, edit.rung().tile));
  set_edit(state, edit);
  EXPECT_EQ(state.derived.violation.rule, Rule::leading_dimension);
  EXPECT_EQ(state.derived.plan.block_m, state.derived.kernel->sliders.defaults().block_m);
  EXPECT_GT(state.derived.plan.threads, 0);
  edit.change_rung().tile.warp_m = 64;
  ASSERT_TRUE(has_plan(*state.derived.kernel, edit.rung().tile));
  set_edit(state, edit);
  EXPECT_EQ(state.derived.plan.block_m, 64) << "which has a picture";
}

TEST(Edit, UndoGoesBackOverEachChangeAndRedoForward) {
  AppState state = initial_state();
  const TileConfig before = state.edit.rung().tile;
  set_tile_field(state, TileFieldId::block_m, 256);
  set_tile_field(state, TileFieldId::stages, 2);
  const TileConfig after = state.edit.rung().tile;
  undo(state);
  EXPECT_EQ(state.edit.rung().tile.stages, before.stages);
  EXPECT_EQ(state.edit.rung().tile.block_m, 256);
  undo(state);
  EXPECT_TRUE(state.edit.rung().tile == before);
  EXPECT_FALSE(can_undo(state));
  redo(state);
  redo(state);
  EXPECT_TRUE(state.edit.rung().tile == after);
  EXPECT_FALSE(can_redo(state));
}

TEST(Edit, ADragIsOneUndoStep) {
  AppState state = initial_state();
  const TileConfig before = state.edit.rung().tile;
  for (int value : {64, 32, 256}) set_tile_field(state, TileFieldId::block_n, value, 7);
  undo(state);
  EXPECT_TRUE(state.edit.rung().tile == before);
}

TEST(Edit, AnotherWidgetsDragIsAnotherStep) {
  AppState state = initial_state();
  set_tile_field(state, TileFieldId::block_n, 64, 7);
  set_tile_field(state, TileFieldId::block_m, 64, 8);
  undo(state);
  EXPECT_EQ(state.edit.rung().tile.block_n, 64);
  EXPECT_EQ(state.edit.rung().tile.block_m, 128);
}

TEST(Edit, KernelsKeepTheirTiles) {
  AppState state = initial_state();
  set_tile_field(state, TileFieldId::stages, 4);
  set_kernel(state, "naive");
  EXPECT_EQ(state.edit.problem.type_a, ElementType::f32);
  set_kernel(state, "mma_multistage");
  EXPECT_EQ(state.edit.rung().tile.stages, 4);
  EXPECT_EQ(state.edit.problem.type_a, ElementType::f16);
  EXPECT_EQ(state.edit.problem.order_b, Order::column_major);
}

TEST(Edit, AKernelComesWithItsLayoutAndSaysSo) {
  AppState state = initial_state();
  for (const KernelEntry& kernel : kernel_table()) {
    const int before = layout_bit(state.edit.problem.order_a, state.edit.problem.order_b);
    const uint64_t serial = state.edit_serial;
    set_kernel(state, kernel.info.id);
    if (state.edit_serial == serial) continue;
    const Problem& p = state.edit.problem;
    EXPECT_EQ(layout_bit(p.order_a, p.order_b), kernel.info.default_layout) << kernel.info.id;
    const bool other = kernel.info.default_layout != before;
    EXPECT_EQ(state.kernel_note_serial == state.edit_serial, other) << kernel.info.id;
    if (other) {
      EXPECT_NE(state.kernel_note.find(kernel.info.id), std::string::npos);
      EXPECT_NE(state.kernel_note.find(model::layout_letters(p)), std::string::npos);
    }
    undo(state);
    EXPECT_EQ(layout_bit(state.edit.problem.order_a, state.edit.problem.order_b), before);
    EXPECT_NE(state.kernel_note_serial, state.edit_serial);
    redo(state);
  }
  // One that was chosen by hand is found again.
  const KernelEntry* naive = find_kernel("naive");
  ASSERT_TRUE(naive && naive->info.layouts == (kNN | kNT | kTN | kTT));
  set_kernel(state, "naive");
  Problem p = state.edit.problem;
  set_layout(p, kNT);
  set_problem(state, p);
  set_kernel(state, "mma_multistage");
  set_kernel(state, "naive");
  EXPECT_EQ(layout_bit(state.edit.problem.order_a, state.edit.problem.order_b), kNT);
}

TEST(Edit, APresetNamesTheKernelThatItSwitchesTo) {
  for (const Preset& preset : presets()) {
    EXPECT_EQ(preset_label(preset, preset.edit.rung().kernel), preset.name);
    for (const KernelEntry& kernel : kernel_table()) {
      if (preset.edit.rung().kernel == kernel.info.id) continue;
      const std::string label = preset_label(preset, kernel.info.id);
      EXPECT_TRUE(label.starts_with(preset.name) &&
                  label.ends_with(" " + preset.edit.rung().kernel))
          << label;
    }
    EXPECT_NE(preset_words(preset).find(preset.source), std::string::npos);
  }
}

TEST(Edit, EveryPresetIsLegal) {
  EXPECT_GE(presets().size(), 10u);
  for (const Preset& preset : presets()) {
    AppState state = initial_state();
    set_edit(state, preset.edit);
    EXPECT_TRUE(state.derived.legal()) << preset.name << ": " << state.derived.sentence;
  }
}

TEST(Edit, TheSelectionAlwaysNamesSomething) {
  AppState state = initial_state();
  select_cta(state, {31, 31});
  select_warp(state, 3);
  select_mma(state, 3, 7);
  Problem small = state.edit.problem;
  small.m = small.n = small.k = 1;
  set_problem(state, small);
  EXPECT_EQ(state.selection.cta, (Coord{0, 0}));
  set_tile_field(state, TileFieldId::warp_m, 16);
  EXPECT_LT(state.selection.mma_m, mmas_m(state.derived.plan));
  set_kernel(state, "thread_tile_2d");
  EXPECT_LT(state.selection.warp, state.derived.plan.warps());
  EXPECT_LT(state.selection.value, state.derived.plan.atom.c.values());
}

TEST(Edit, ProblemsOutOfRangeAreNamed) {
  AppState state = initial_state();
  for (int bad : {0, -1, kMaxExtent + 1}) {
    Problem p = state.edit.problem;
    p.k = bad;
    set_problem(state, p);
    EXPECT_FALSE(state.derived.legal());
    EXPECT_FALSE(state.derived.sentence.empty());
  }
}

}  // namespace
}  // namespace tilescope
