// The Fragment scene says of every cell what core/layout says.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tests/viz/example_states.h"
#include "tests/viz/random_tiles.h"
#include "tests/viz/scene_checks.h"
#include "viz/scene/cells.h"

namespace tilescope::viz {
namespace {

std::vector<const CellGrid*> grids_of(const Scene& scene) {
  std::vector<const CellGrid*> grids;
  for (const Primitive& p : scene.primitives) {
    if (const auto* grid = std::get_if<CellGrid>(&p.shape)) grids.push_back(grid);
  }
  return grids;
}

// Lane 17 of a thread tile lies outside of a 1×7 result in each of these kernels.
TEST(Fragment, AThreadTileOutsideOfASmallProblemSaysSo) {
  for (const KernelEntry& kernel : kernel_table()) {
    FragmentState state;
    state.problem = default_problem(kernel.info);
    state.problem.m = 1, state.problem.n = 7, state.problem.k = 33;
    state.plan = kernel.plan(kernel.sliders.defaults(), state.problem);
    if (state.plan.math() != Math::simt) continue;
    const char* id = kernel.info.id;
    const auto hatched = [](const Scene& scene) {
      int n = 0;
      for (const Primitive& p : scene.primitives) {
        const auto* r = std::get_if<Rect>(&p.shape);
        n += r != nullptr && r->hatch.a > 0 ? 1 : 0;
      }
      return n;
    };
    state.selection.lane = 17;
    for (const Size size : kFragmentSizes) {
      const Scene out = build_fragment(state, dark_palette(), kMeasure, size);
      EXPECT_EQ(to_text(out).find("+="), std::string::npos) << id;
      EXPECT_GE(hatched(out), 2) << id;
      expect_clean_texts(out, id);
    }
    const std::string wide = to_text(build_fragment(state, dark_palette(), kMeasure, {1280, 800}));
    EXPECT_NE(wide.find("outside C of 1×7: never stored"), std::string::npos) << id << wide;
    state.selection.lane = 0;
    const std::string in = to_text(build_fragment(state, dark_palette(), kMeasure, {1280, 800}));
    EXPECT_NE(in.find("+="), std::string::npos) << id;
    // The last slice is not whole: what lies beyond K adds nothing.
    state.moment = {state.plan.work.k_slices - 1, k_steps(state.plan) - 1};
    const std::string end = to_text(build_fragment(state, dark_palette(), kMeasure, {1280, 800}));
    const bool ragged = state.plan.work.k_slices * state.plan.block_k > state.problem.k;
    EXPECT_EQ(end.find("is outside K of 33: adds 0") != std::string::npos, ragged) << id;
  }
}

TEST(Fragment, CellsOfTheInstructionAreThoseOfTheLayout) {
  const FragmentState state = example_fragment("mma_multistage");
  const Scene scene = build_fragment(state, dark_palette(), kMeasure, {495, 652});
  const MmaAtom& atom = state.plan.atom;
  const FragmentLayout* layouts[] = {&atom.a, &atom.b, &atom.c};
  const LevelAxes axes = atom_axes(state.plan, state.selection, state.moment);
  const Coord origin[] = {
      {axes.m.first, axes.k.first}, {axes.k.first, axes.n.first}, {axes.m.first, axes.n.first}};
  const std::vector<const CellGrid*> grids = grids_of(scene);
  ASSERT_EQ(grids.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const FragmentLayout& layout = *layouts[i];
    ASSERT_EQ(grids[i]->rows, layout.rows);
    ASSERT_EQ(grids[i]->columns, layout.cols);
    std::set<std::pair<int, int>> seen;
    for (int row = 0; row < layout.rows; ++row) {
      for (int col = 0; col < layout.cols; ++col) {
        const Box box = cell_box(*grids[i], row, col);
        const auto found = pick(scene, box.x + box.w / 2, box.y + box.h / 2);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->kind, Pick::Kind::element);
        EXPECT_EQ(found->matrix, static_cast<int>(i));
        EXPECT_EQ(found->row, origin[i].row + row);
        EXPECT_EQ(found->col, origin[i].col + col);
        const Coord at = fragment_coord(layout, found->lane, found->value);
        EXPECT_EQ(at.row, row);
        EXPECT_EQ(at.col, col);
        EXPECT_EQ(found->reg, found->value / layout.values_per_register);
        EXPECT_TRUE(seen.emplace(found->lane, found->value).second);
      }
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(layout.threads() * layout.values()));
  }
}

TEST(Fragment, MockUpsSelectionNamesItsElements) {
  const FragmentState state = example_fragment("mma_multistage");
  const std::string text = to_text(build_fragment(state, dark_palette(), kMeasure, {730, 744}));
  for (const char* element : {"A[468, 1122]", "A[476, 1131]", "B[1122, 668]", "C[468, 667]",
                              "A[468, k]", "B[k, 667]", "k 1120–1135"}) {
    EXPECT_NE(text.find(element), std::string::npos) << element;
  }
}

TEST(Fragment, EveryElementOfTheWarpTileIsDrawnOnce) {
  FragmentState state = example_fragment("mma_multistage");
  state.tab = FragmentTab::warp_tile;
  const Scene scene = build_fragment(state, dark_palette(), kMeasure, {1280, 800});
  std::map<std::pair<int, int>, int> covered;
  for (const CellGrid* grid : grids_of(scene)) {
    if (grid->pick.matrix != 2) continue;
    for (int row = 0; row < grid->rows; ++row) {
      for (int col = 0; col < grid->columns; ++col) {
        ++covered[{grid->pick.row + row, grid->pick.col + col}];
      }
    }
  }
  const LevelAxes axes = warp_axes(state.plan, state.selection, state.moment);
  EXPECT_EQ(covered.size(), static_cast<size_t>(state.plan.warp_m * state.plan.warp_n));
  for (const auto& [at, times] : covered) {
    EXPECT_EQ(times, 1);
    EXPECT_TRUE(at.first >= axes.m.first && at.first <= axes.m.last());
    EXPECT_TRUE(at.second >= axes.n.first && at.second <= axes.n.last());
  }
}

TEST(Fragment, ThreadTileIsThatOfTheLayout) {
  const FragmentState state = example_fragment("thread_tile_2d");
  const Scene scene = build_fragment(state, dark_palette(), kMeasure, {495, 652});
  const FragmentLayout& tile = state.plan.atom.c;
  const Coord origin{state.selection.cta.row * state.plan.block_m,
                     state.selection.cta.col * state.plan.block_n};
  int cells = 0;
  for (const CellGrid* grid : grids_of(scene)) {
    if (grid->pick.matrix != 2) continue;
    for (int row = 0; row < grid->rows; ++row) {
      for (int col = 0; col < grid->columns; ++col) {
        const Box box = cell_box(*grid, row, col);
        const auto found = pick(scene, box.x + box.w / 2, box.y + box.h / 2);
        ASSERT_TRUE(found.has_value());
        const Coord at =
            origin + fragment_coord(tile, found->warp * 32 + found->lane, found->value);
        EXPECT_EQ(at.row, found->row);
        EXPECT_EQ(at.col, found->col);
        ++cells;
      }
    }
  }
  EXPECT_EQ(cells, tile.values() * 33);  // the chosen thread's tile, and the whole warp's
}

TEST(Fragment, NoTextIsClippedOrTouchesAnother) {
  std::mt19937 random(7);
  for (const KernelEntry& kernel : kernel_table()) {
    for (int i = 0; i < 40; ++i) {
      FragmentState state = example_fragment(kernel.info.id);
      state.problem = random_problem(kernel, random);
      state.plan = random_legal_plan(kernel, state.problem, random);
      state.selection = random_selection(random);
      state.moment = {static_cast<int>(random() % 64), static_cast<int>(random() % 4)};
      state.phase = static_cast<int>(random() % 4);
      state.operand = random() % 2 == 0 ? Operand::a : Operand::b;
      for (FragmentTab tab : {FragmentTab::mma, FragmentTab::warp_tile, FragmentTab::ldmatrix,
                              FragmentTab::shared_memory}) {
        state.tab = tab;
        for (const Size size : kFragmentSizes) {
          const Scene scene = build_fragment(state, light_palette(), kMeasure, size);
          expect_clean_texts(
              scene, std::string(kernel.info.id) + " tab " + std::to_string(static_cast<int>(tab)));
          expect_finite(scene);
        }
      }
    }
  }
}

TEST(Fragment, TabsThatAKernelLacksSayItInASentence) {
  FragmentState state = example_fragment("naive");
  state.tab = FragmentTab::ldmatrix;
  EXPECT_FALSE(has_tab(state, state.tab));
  const Scene scene = build_fragment(state, dark_palette(), kMeasure, {400, 300});
  EXPECT_NE(to_text(scene).find("no such instruction"), std::string::npos);
}

TEST(Fragment, SharedCellsNameTheLaneThatReadsThem) {
  FragmentState state = example_fragment("mma_multistage");
  state.tab = FragmentTab::shared_memory;
  for (state.phase = 0; state.phase < 4; ++state.phase) {
    const Scene scene = build_fragment(state, dark_palette(), kMeasure, {530, 340});
    std::map<int, int> cells;  // of each lane, in both pictures
    for (const Pick& p : scene.picks) {
      if (p.kind == Pick::Kind::chunk && p.lane >= 0) ++cells[p.lane];
    }
    EXPECT_EQ(cells.size(), 8u);  // a phase: eight lanes, a row each
    for (const auto& [lane, count] : cells) {
      EXPECT_EQ(lane / 8, state.phase);
      EXPECT_EQ(count, 2);
    }
  }
}

TEST(Fragment, BanksWithoutSwizzleConflict) {
  FragmentState state = example_fragment("mma_multistage");
  state.tab = FragmentTab::shared_memory;
  const std::string text = to_text(build_fragment(state, dark_palette(), kMeasure, {530, 340}));
  EXPECT_NE(text.find("8 wavefronts"), std::string::npos);
  EXPECT_NE(text.find("1 wavefront"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::viz
