// What stands beside the present position: chosen, saved, told in rows and causes.
#include "app/state/second.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/common/difference_rows.h"
#include "app/features/compare/measured_turns.h"
#include "app/features/compare/second_choices.h"
#include "app/features/compare/why_second.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/history.h"
#include "app/state/launch_facts.h"
#include "app/state/session.h"
#include "tests/any_state/any_state.h"
#include "tests/every_kernel.h"

namespace tilescope {
namespace {

TEST(SecondState, IsKeptByASessionAndALink) {
  AppState state = initial_state();
  Edit other = state.edit;
  set(other.change_rung().tile, TileFieldId::stages, 4);
  compare_with(state, other, "four");
  state.of<Second>().lock_step = false;
  for (const nlohmann::json& saved : {to_json(state), shown_json(state)}) {
    AppState again = initial_state();
    std::string error;
    ASSERT_TRUE(from_json(again, saved, &error)) << error;
    ASSERT_NE(second_of(again), nullptr);
    EXPECT_TRUE(same_request(second_of(again)->edit, other));
    EXPECT_EQ(again.of<Second>().name, "four");
    EXPECT_FALSE(again.of<Second>().lock_step);
  }
  compare_with_nothing(state);
  AppState again = initial_state();
  compare_with(again, other, "four");
  std::string error;
  ASSERT_TRUE(from_json(again, to_json(state), &error)) << error;
  EXPECT_EQ(second_of(again), nullptr);
}

TEST(SecondState, EachChoiceIsOneAndCanStand) {
  AppState state = initial_state();
  pin(state, point_of(state), "mine");
  remember_result(state);
  set_tile_field(state, TileFieldId::stages, 2);
  remember_result(state);
  const std::vector<SecondChoice> choices = second_choices(state);
  size_t rungs = 0, pinned = 0;
  for (const SecondChoice& choice : choices) {
    SCOPED_TRACE(choice.title);
    rungs += choice.section == std::string("other kernels");
    pinned += choice.section == std::string("pinned");
    choose_second(state, choice);
    ASSERT_NE(second_of(state), nullptr);
    EXPECT_FALSE(state.of<Second>().name.empty());
    EXPECT_FALSE(why_second(state).sentence.empty());
  }
  EXPECT_EQ(rungs, kernel_ids().size() - 1);
  EXPECT_EQ(pinned, 1u);
}

TEST(SecondState, ThePaletteChoosesItAndTakesItBack) {
  AppState state = initial_state();
  pin(state, point_of(state), "wide");
  set_tile_field(state, TileFieldId::stages, 2);
  const std::vector<Answer> answers = compare_answers(state, "compare wide");
  ASSERT_FALSE(answers.empty());
  EXPECT_EQ(answers[0].title, "compare with wide");
  answers[0].run(state);
  ASSERT_NE(second_of(state), nullptr);
  undo(state);
  EXPECT_EQ(second_of(state), nullptr);
  EXPECT_EQ(get(state.edit.rung().tile, TileFieldId::stages), 2)
      << "of the tile nothing was undone";
  EXPECT_TRUE(compare_answers(state, "wide").empty());
  const std::vector<Answer> rung = compare_answers(state, "b naive");
  ASSERT_FALSE(rung.empty());
  EXPECT_NE(rung[0].title.find("naive"), std::string::npos);
}

TEST(SecondState, TheCausesAddUpToTheTotals) {
  AppState state = initial_state();
  for (const KernelEntry& kernel : kernel_table()) {
    AppState other = initial_state();
    set_kernel(other, kernel.info.id);
    compare_with(state, other.edit, kernel.info.id);
    const WhySecond why = why_second(state);
    if (!other.derived.legal()) {
      EXPECT_FALSE(why.known());
      continue;
    }
    ASSERT_TRUE(why.known()) << kernel.info.id << ": " << why.sentence;
    ASSERT_EQ(why.tips.size(), why.bars.steps.size());
    double at = why.bars.begin;
    for (const viz::WaterfallStep& step : why.bars.steps) at += step.by;
    EXPECT_NEAR(at, why.bars.end, 1e-6 * std::abs(why.bars.begin)) << kernel.info.id;
  }
}

// Rows say of A against B what they say of B against A, turned round.
TEST(SecondState, DifferencesTurnRoundWithTheSides) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    AnyState any(seed);
    const LaunchFacts a = launch_facts(any.state_of_a_rung()),
                      b = launch_facts(any.state_of_a_rung());
    const auto rows = difference_rows(a, b), back = difference_rows(b, a);
    ASSERT_EQ(rows.size(), back.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].id, back[i].id);
      EXPECT_EQ(rows[i].a, back[i].b);
      EXPECT_EQ(rows[i].verdict(), -back[i].verdict());
      EXPECT_FALSE(figure_text(rows[i], rows[i].a).empty());
      EXPECT_FALSE(change_text(rows[i]).empty());
    }
    for (const DifferenceRow& row : difference_rows(a, a)) {
      EXPECT_EQ(row.verdict(), 0);
      EXPECT_EQ(change_text(row), "same");
    }
  }
}

TEST(SecondState, TurnsSayWhyTheyCannotBe) {
  AppState state = initial_state();
  EXPECT_NE(why_no_turns(state).find("no B"), std::string::npos);
  compare_with(state, state.edit, "same");
  EXPECT_NE(why_no_turns(state).find("card"), std::string::npos);
  EXPECT_FALSE(turns_median(state));
}

TEST(SecondState, AnyPairIsShownWhateverItIs) {
  for (int i = 0; i < states(); ++i) {
    SCOPED_TRACE(i);
    AnyState any(static_cast<unsigned>(i) + 7000);
    AppState state = any.state(), other = any.state();
    if (any.one_in(3)) {
      state = other;
      pin_as_second(state);
    } else {
      compare_with(state, other.edit, "other");
    }
    second_of(state)->selection = other.selection;
    second_of(state)->playhead = other.playhead;
    follow_first(state);
    follow_second(state);
    EXPECT_FALSE(why_second(state).sentence.empty());
    if (any.one_in(2)) swap_with_second(state);
    follow_first(state);
    for (const Picture* picture : all_pictures()) {
      if (!picture->state) continue;
      for (const AppState* side : {&std::as_const(state), second_of(std::as_const(state))}) {
        const auto made = picture->state(*side), again = picture->state(*side);
        EXPECT_TRUE(made->same(*again)) << picture->name;
        made->build(viz::dark_palette(), viz::FixedMeasure(), any.size());
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
