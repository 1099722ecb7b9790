// A wrong answer in the pictures: each place in its sign, where the layout has it, and nothing
// else.
#include "viz/scene/answer_sign.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/viz/example_states.h"
#include "tests/viz/scene_checks.h"
#include "viz/scene/cells.h"
#include "viz/scene/parts.h"

namespace tilescope::viz {
namespace {

struct AnswerSigns {
  int answered = 0, right = 0;
  bool operator==(const AnswerSigns&) const = default;
};

/// Whole edges in the colour of what is right may stand for something else in a picture: they are
/// told apart by their width.
AnswerSigns signs_in(const Scene& scene) {
  AnswerSigns found;
  for (const Primitive& p : scene.primitives) {
    const auto* r = std::get_if<Rect>(&p.shape);
    if (r == nullptr || r->fill.a > 0 || r->stroke_width != 2) continue;
    found.answered += r->dash.on > 0 && r->stroke == scene.palette.warning ? 1 : 0;
    found.right += r->dash.on <= 0 && r->stroke == scene.palette.ok ? 1 : 0;
  }
  return found;
}

Pick lane_place(Operand o, int lane) {
  Pick place;
  place.kind = Pick::Kind::lane, place.level = Level::atom;
  place.matrix = static_cast<int8_t>(o), place.lane = lane;
  return place;
}

Pick cta_place(int row, int col) {
  Pick place;
  place.kind = Pick::Kind::cta, place.level = Level::grid;
  place.cta_row = row, place.cta_col = col;
  return place;
}

TEST(AnswerSign, ALanesCellsAreMarkedRunByRunAndAmongTheLanes) {
  std::mt19937 random(20261129);
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
    FragmentState fragment = example_fragment("mma_multistage");
    TilingState tiling = example_tiling("mma_multistage");
    const FragmentLayout& layout = fragment_of(fragment.plan.atom, o);
    const auto run = fragment_run(layout);
    const int runs = layout.values() / (run.columns * run.rows);
    const auto in_fragment = [&] {
      return signs_in(build_fragment(fragment, dark_palette(), kMeasure, {495, 652}));
    };
    const auto in_tiling = [&] {
      return signs_in(build_tiling(tiling, dark_palette(), kMeasure, {1280, 800}));
    };
    const AnswerSigns before = in_fragment(), beneath = in_tiling();
    EXPECT_EQ(before.answered + beneath.answered, 0);
    for (int i = 0; i < 8; ++i) {
      const int wrong = static_cast<int>(random() % 32);
      const int right = (wrong + 1 + static_cast<int>(random() % 31)) % 32;
      fragment.marks = tiling.marks = {{lane_place(o, wrong)}, {lane_place(o, right)}};
      EXPECT_EQ(in_fragment(), (AnswerSigns{runs + 1, before.right + runs + 1}));
      EXPECT_EQ(in_tiling(), (AnswerSigns{runs, beneath.right + runs}));
    }
    // Another operand's lanes are marked among the lanes, and with its cells alone.
    fragment.marks = {{lane_place(o == Operand::a ? Operand::b : Operand::a, 3)}, {}};
    EXPECT_GE(in_fragment().answered, 2);
    EXPECT_EQ(in_fragment().right, before.right);
  }
}

TEST(AnswerSign, WhereCellsAreTooSmallForSignsNoneCoversTheOthers) {
  const MmaAtom atom = example_fragment("mma_multistage").plan.atom;
  const auto run = fragment_run(atom.a);
  const auto runs = static_cast<size_t>(atom.a.values() / (run.columns * run.rows));
  const CellGrid grid = fragment_grid(atom, atom.a, Operand::a, {0, 0}, {0, 0, 160, 160}, 0);
  const AnswerMarks marks{{lane_place(Operand::a, 3)}, {lane_place(Operand::a, 9)}};
  EXPECT_EQ(lane_signs(marks, grid, Operand::a).size(), 2 * runs);
  CellGrid small = grid;
  small.box = {0, 0, 24, 24};
  EXPECT_TRUE(lane_signs(marks, small, Operand::a).empty());
}

TEST(AnswerSign, CtasAreMarkedInTheGridOfEveryKernel) {
  for (const KernelEntry& kernel : kernel_table()) {
    TilingState state = example_tiling(kernel.info.id);
    const auto signs = [&] {
      return signs_in(build_tiling(state, light_palette(), kMeasure, {842, 412}));
    };
    const AnswerSigns before = signs();
    EXPECT_EQ(before.answered, 0) << kernel.info.id;
    state.marks = {{cta_place(3, 5)}, {cta_place(4, 1)}};
    EXPECT_EQ(signs(), (AnswerSigns{1, before.right + 1})) << kernel.info.id;
    // One level alone shows the grid, or it shows no CTA among others.
    state.side_by_side = false;
    EXPECT_EQ(signs().answered, 1) << kernel.info.id;
    state.level = 1;
    EXPECT_EQ(signs().answered, 0) << kernel.info.id;
  }
}

TEST(AnswerSign, NoTextIsAddedOrTouched) {
  FragmentState state = example_fragment("mma_multistage");
  state.marks = {{lane_place(Operand::a, 5)}, {lane_place(Operand::a, 19)}};
  for (const Size size : kFragmentSizes) {
    expect_clean_texts(build_fragment(state, dark_palette(), kMeasure, size), "an answer");
  }
}

}  // namespace
}  // namespace tilescope::viz
