// A wrong answer in the pictures: each place in its sign, where the layout has it, and nothing
// else.
#include "viz/scene/answer_sign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "tests/viz/example_states.h"
#include "tests/viz/scene_checks.h"
#include "viz/scene/access_scene.h"
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

Pick line_place(int line) {
  Pick place;
  place.kind = Pick::Kind::event, place.line = line;
  return place;
}

/// Boxes of signs, or of what is picked on a line.
std::vector<Box> sign_boxes(const Scene& scene, bool dashed) {
  std::vector<Box> boxes;
  for (const Primitive& p : scene.primitives) {
    const auto* r = std::get_if<Rect>(&p.shape);
    if (r == nullptr || r->fill.a > 0 || r->stroke_width != 2) continue;
    const Color color = dashed ? scene.palette.warning : scene.palette.ok;
    if (dashed == (r->dash.on > 0) && r->stroke == color) boxes.push_back(r->box);
  }
  return boxes;
}
std::vector<Box> boxes_on_line(const Scene& scene, int line) {
  std::vector<Box> boxes;
  for (const Primitive& p : scene.primitives) {
    const auto* r = std::get_if<Rect>(&p.shape);
    if (r == nullptr || p.pick < 0) continue;
    if (scene.picks[static_cast<size_t>(p.pick)].line == line) boxes.push_back(r->box);
  }
  return boxes;
}

bool covers(const Box& sign, const Box& box) {
  constexpr float kOff = 0.01f;
  return sign.x <= box.x + kOff && sign.right() >= box.right() - kOff && sign.y <= box.y + kOff &&
         sign.bottom() >= box.bottom() - kOff;
}

void expect_signed(const Scene& scene, int line, bool dashed) {
  const std::vector<Box> signs = sign_boxes(scene, dashed), things = boxes_on_line(scene, line);
  EXPECT_LE(signs.size(), things.size());
  for (const Box& thing : things) {
    EXPECT_TRUE(std::ranges::any_of(signs, [&](const Box& s) { return covers(s, thing); }));
  }
  for (const Box& sign : signs) {
    EXPECT_TRUE(std::ranges::any_of(things, [&](const Box& t) { return covers(sign, t); }));
  }
}

TEST(AnswerSign, EventsOfALineAreMarkedWhereverTheyStand) {
  std::mt19937 random(20261130);
  const std::vector<TimelineEvent> events = example_events();
  const TimelineIndex index(events, 4);
  TimelineState state = example_timeline(index);
  const auto build = [&] { return build_timeline(state, dark_palette(), kMeasure, {1280, 400}); };
  size_t marked = 0;
  for (const double visible : {0.0, 120.0, 3000.0}) {  // of wide events, and of very narrow ones
    state.visible = visible;
    state.marks = {};
    ASSERT_EQ(signs_in(build()), AnswerSigns{});
    for (int i = 0; i < 12; ++i) {
      const int wrong = 60 + static_cast<int>(random() % 20);
      const int right = 60 + (wrong - 60 + 1 + static_cast<int>(random() % 19)) % 20;
      state.marks = {{line_place(wrong)}, {line_place(right)}};
      const Scene scene = build();
      expect_signed(scene, wrong, true);
      expect_signed(scene, right, false);
      marked += sign_boxes(scene, true).size() + sign_boxes(scene, false).size();
    }
    // Of what has no line nothing is marked, and of another trace nothing at all.
    state.marks = {{line_place(4000)}, {}};
    EXPECT_EQ(signs_in(build()), AnswerSigns{});
    state.marks = {{line_place(60)}, {line_place(61)}};
    state.stale = "of the tile before";
    EXPECT_EQ(signs_in(build()), AnswerSigns{});
    state.stale.clear();
  }
  EXPECT_GT(marked, 20u);
}

TEST(AnswerSign, AnInstructionsCostIsMarkedByItsLine) {
  AccessState state;
  AccessMatrix& m = state.matrices.emplace_back();
  m.name = "A", m.type = "f32[64,64]", m.operand = 0;
  m.rows = m.cols = m.shown_rows = m.shown_cols = 64;
  m.cell_rows = m.cell_cols = 64;
  m.cells = std::make_shared<const std::vector<uint32_t>>(64 * 64, 0);
  m.line = "line 31", m.cost = "32 wavefronts, ideal 1", m.cost_short = "32, ideal 1";
  m.instruction = 3, m.code_line = 31;
  const auto signs = [&] {
    return signs_in(build_access(state, light_palette(), kMeasure, {420, 400}));
  };
  EXPECT_EQ(signs(), AnswerSigns{});
  state.marks = {{line_place(31)}, {line_place(40)}};
  EXPECT_EQ(signs(), (AnswerSigns{1, 0}));
  state.marks = {{line_place(40)}, {line_place(30), line_place(31)}};
  EXPECT_EQ(signs(), (AnswerSigns{0, 1}));
  // No lane and no CTA is an instruction, and without a line it is none's.
  state.marks = {{lane_place(Operand::a, 31)}, {cta_place(3, 31)}};
  EXPECT_EQ(signs(), AnswerSigns{});
  state.marks = {{line_place(31)}, {}}, m.code_line = 0;
  EXPECT_EQ(signs(), AnswerSigns{});
}

TEST(AnswerSign, APlaceIsAllThatHasWhatItNames) {
  std::mt19937 random(20261201);
  constexpr int Pick::*kMembers[] = {&Pick::row,  &Pick::warp,  &Pick::lane, &Pick::cta_row,
                                     &Pick::line, &Pick::event, &Pick::stage};
  for (int i = 0; i < 500; ++i) {
    Pick there, place;
    there.kind = place.kind = Pick::Kind::event;
    bool same = true;
    for (int Pick::*member : kMembers) {
      there.*member = static_cast<int>(random() % 3) - 1;
      if (random() % 2) continue;
      place.*member = random() % 4 ? there.*member : static_cast<int>(random() % 3) - 1;
      same = same && (place.*member < 0 || place.*member == there.*member);
    }
    EXPECT_EQ(is_at_place(there, place), same);
    place.kind = Pick::Kind::warp;
    EXPECT_FALSE(is_at_place(there, place));
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
