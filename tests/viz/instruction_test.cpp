// The Fragment scene of instructions of the list: every cell is what core/layout says, and every
// tab of every kind of instruction is clean text at every size.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "core/layout/atom_plan.h"
#include "tests/viz/example_states.h"
#include "tests/viz/random_tiles.h"
#include "tests/viz/scene_checks.h"
#include "viz/scene/cells.h"

namespace tilescope::viz {
namespace {

/// Every n-th wgmma, everything else.
std::vector<const model::Instruction*> samples(size_t wgmma_step) {
  std::vector<const model::Instruction*> list;
  size_t wgmmas = 0;
  for (const model::Instruction& i : model::instructions()) {
    const bool wgmma = i.kind == model::Instruction::Kind::mma && i.mma.kind == MmaKind::wgmma;
    if (!wgmma || wgmmas++ % wgmma_step == 0) list.push_back(&i);
  }
  return list;
}

TEST(Instruction, CellsAreThoseOfTheLayout) {
  for (const model::Instruction* i : samples(29)) {
    if (i->kind != model::Instruction::Kind::mma) continue;
    FragmentState state = example_instruction(i->name, FragmentTab::mma);
    for (const int lane : {0, 5, 17, 30}) {
      state.selection.lane = lane;
      const Scene scene = build_fragment(state, dark_palette(), kMeasure, {1000, 700});
      const int group = atom_thread(i->mma, lane).group;
      int grids = 0;
      for (const Primitive& p : scene.primitives) {
        const auto* grid = std::get_if<CellGrid>(&p.shape);
        if (!grid || grid->cells.empty()) continue;
        ++grids;
        const FragmentLayout* layouts[] = {&i->mma.a, &i->mma.b, &i->mma.d};
        const FragmentLayout& f = *layouts[grid->pick.matrix];
        ASSERT_EQ(grid->rows, f.rows) << i->name;
        ASSERT_EQ(grid->columns, f.cols) << i->name;
        for (int row = 0; row < f.rows; ++row) {
          for (int col = 0; col < f.cols; ++col) {
            const uint32_t cell = grid->cells[static_cast<size_t>(row * f.cols + col)];
            const AtomThread at = atom_thread(i->mma, cell_thread(cell));
            ASSERT_EQ(at.group, group) << i->name;
            ASSERT_EQ(fragment_coord(f, at.thread, cell_value(cell)), (Coord{row, col})) << i->name;
            ASSERT_EQ((cell & kCellStrong) != 0, cell_thread(cell) == lane) << i->name;
          }
        }
      }
      EXPECT_EQ(grids, i->mma.b_in_shared ? 2 : 3) << i->name;
    }
  }
}

TEST(Instruction, EveryTabOfEveryInstructionIsCleanText) {
  for (const model::Instruction* i : samples(37)) {
    for (int t = 0; t < kFragmentTabs; ++t) {
      FragmentState state = example_instruction(i->name, static_cast<FragmentTab>(t));
      if (!has_tab(state, state.tab)) continue;
      for (const Size size : kFragmentSizes) {
        for (const Operand o : {Operand::a, Operand::b}) {
          state.operand = o;
          const Scene scene = build_fragment(state, light_palette(), kMeasure, size);
          expect_clean_texts(scene, i->name + " tab " + std::to_string(t));
          expect_finite(scene);
        }
      }
    }
  }
}

TEST(Instruction, ZoomedPicturesAreCleanToo) {
  for (const char* name : {"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16",
                           "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc"}) {
    FragmentState state = example_instruction(name, FragmentTab::mma);
    const Size size{700, 600};
    const float most = largest_zoom(state, size);
    EXPECT_GT(most, 1.5f) << name;
    for (const float zoom : {1.25f, most / 2, most}) {
      for (const Point center : {Point{0, 0}, Point{0.3f, 0.6f}, Point{1, 1}}) {
        state.zoom = zoom, state.center = center;
        const Scene scene = build_fragment(state, dark_palette(), kMeasure, size);
        expect_clean_texts(scene, name);
        expect_finite(scene);
      }
    }
    // Deep in, cells carry the names of lane and value; they did not where all of it is shown.
    const auto value_names = [&](float at) {
      state.zoom = at;
      const std::string text = to_text(build_fragment(state, dark_palette(), kMeasure, size));
      int count = 0;  // in cells, where names stand in the middle
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);)
        count +=
            line.find(" center ") != std::string::npos && line.find("\"V") != std::string::npos;
      return count;
    };
    state.center = {0.7f, 0.7f};
    EXPECT_GT(value_names(most), value_names(1)) << name;
  }
}

TEST(Instruction, PaddingCuresToo) {
  FragmentState state = example_instruction("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                            FragmentTab::shared_memory);
  state.pad = true;
  for (const Size size : kFragmentSizes) {
    const Scene scene = build_fragment(state, dark_palette(), kMeasure, size);
    const std::string text = to_text(scene);
    EXPECT_NE(text.find("padding 16 B"), std::string::npos);
    EXPECT_NE(text.find("8 wavefronts"), std::string::npos);  // without it
    EXPECT_NE(text.find("1 wavefront\""), std::string::npos);
    expect_clean_texts(scene, "padding");
  }
}

TEST(Instruction, SharedMemoryTabCountsWhatTheRulesSay) {
  for (const char* name : {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
                           "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                           "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc",
                           "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32"}) {
    const FragmentState state = example_instruction(name, FragmentTab::shared_memory);
    const std::string text = to_text(build_fragment(state, dark_palette(), kMeasure, {900, 600}));
    // Rows of 128 bytes: eight rows of one column meet one bank group, or eight.
    EXPECT_NE(text.find("8 wavefronts"), std::string::npos) << name;
    EXPECT_NE(text.find("no conflict"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace tilescope::viz
