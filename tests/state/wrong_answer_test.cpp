// What a wrong answer marks: exactly what was answered and what is right, and no longer than both
// stand. Before an answer nothing is told.
#include "app/state/wrong_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "app/common/difference_rows.h"
#include "app/features/access/access_picture.h"
#include "app/features/fragment/fragment_picture.h"
#include "app/features/lessons/lesson_facts.h"
#include "app/features/lessons/lesson_run.h"
#include "app/features/tiling/tiling_picture.h"
#include "app/features/timeline/timeline_picture.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/second.h"

namespace tilescope {
namespace {

/// Steps of a kind, of any lesson.
template <class Wanted>
void each_step(LessonStep::Kind kind, Wanted visit) {
  for (const Lesson& lesson : lessons()) {
    for (size_t i = 0; i < lesson.steps.size(); ++i) {
      if (lesson.steps[i].kind != kind) continue;
      SCOPED_TRACE(lesson.id + ": " + lesson.steps[i].title);
      AppState state = initial_state();
      open_lesson(state, lesson.id, static_cast<int>(i));
      look_at_lesson(state);
      EXPECT_EQ(wrong_answer(state), nullptr);
      EXPECT_EQ(shown_difference(state), nullptr);
      visit(state, lesson.steps[i]);
    }
  }
}

/// The next frame.
const WrongAnswer* marked_next(AppState& state) {
  look_at_lesson(state);
  return wrong_answer(state);
}

void change_problem(AppState& state) {
  Problem other = state.edit.problem;
  other.m *= 2;
  set_problem(state, other);
}

/// Whatever stands on these lines.
std::vector<viz::Pick> places_on(const std::vector<int>& lines) {
  std::vector<viz::Pick> places;
  for (const int line : lines) {
    viz::Pick place;
    place.kind = viz::Pick::Kind::event, place.line = line;
    places.push_back(place);
  }
  return places;
}

/// Of pictures that are drawn of two positions A's is of the answer, and B's is not.
void expect_marks_of_a_alone(AppState& state) {
  const Second before = state.of<Second>();  // a lesson may have one of its own
  pin_as_second(state);
  EXPECT_EQ(answer_marks(*second_of(state)), viz::AnswerMarks{});
  state.of<Second>() = before;
  if (state.edit.own()) return;  // whose Tiling is of what was observed
  const WrongAnswer marked = state.wrong_answer;
  for (const Picture* picture : all_pictures()) {
    if (!picture->state) continue;
    state.wrong_answer = marked;
    const auto with = picture->state(state);
    unmark_answer(state);
    EXPECT_FALSE(with->same(*picture->state(state))) << picture->name;
  }
  state.wrong_answer = marked;
}

/// Rows and panels that have none of their own are told of exactly one fact, as it was answered.
void expect_fact(const AppState& state, const std::string& row, const std::string& said,
                 const std::string& right) {
  const AnsweredFact* fact = answered_fact(state, row);
  ASSERT_NE(fact, nullptr) << row;
  EXPECT_TRUE(fact->said.starts_with(said)) << fact->said;
  EXPECT_EQ(fact->right, right);
  EXPECT_NE(fact->title, "");
  EXPECT_EQ(answered_fact(state, row + "."), nullptr);
  EXPECT_EQ(answered_fact(state, ""), nullptr);
  int panels = 0;
  for (const char* section : {kModelSection, kSmSection, kTrafficSection, kSharedSection, ""}) {
    const char* const sections[] = {section};
    panels += answered_fact_of(state, sections) == fact ? 1 : 0;
    EXPECT_EQ(answered_fact_of(state, sections) != nullptr,
              *section != 0 && difference_section(row) == section);
  }
  EXPECT_LE(panels, 1);
  EXPECT_EQ(answer_marks(state), viz::AnswerMarks{});
}

int random_below(std::mt19937& random, int n) {
  return static_cast<int>(random() % static_cast<unsigned>(n));
}

/// The lane that holds the element of a step "lane OPERAND ROW COLUMN", by the layout alone.
int lane_by_layout(const AppState& state, const LessonStep& step) {
  const auto operand = static_cast<Operand>(step.of[0][0] - 'A');
  const Coord at{std::stoi(step.of[1]), std::stoi(step.of[2])};
  return fragment_holder(fragment_of(state.derived.plan.atom, operand), at).thread;
}

TEST(WrongAnswer, OfALaneThePicturesMarkThatOneAndTheRightOne) {
  std::mt19937 random(31);
  int steps = 0;
  each_step(LessonStep::Kind::pick, [&](AppState& state, const LessonStep& step) {
    if (step.fact != "lane") return;
    const int right = lane_by_layout(state, step);
    for (int i = 0; i < 20; ++i) {
      const int lane = random_below(random, 32);
      if (lane == right || lane == state.selection.lane) continue;
      select_lane(state, lane);
      EXPECT_EQ(wrong_answer(state), nullptr) << "of the lane before";
      const WrongAnswer* wrong = marked_next(state);
      ASSERT_NE(wrong, nullptr);
      ASSERT_EQ(wrong->answered.picks.size(), 1u);
      ASSERT_EQ(wrong->right.picks.size(), 1u);
      EXPECT_EQ(wrong->answered.picks[0].lane, lane);
      EXPECT_EQ(wrong->right.picks[0].lane, right);
      EXPECT_EQ(wrong->right.picks[0].matrix, step.of[0][0] - 'A');
      EXPECT_EQ(fragment_picture(state).marks, answer_marks(state));
      EXPECT_EQ(tiling_picture(state, 0).marks, answer_marks(state));
      expect_marks_of_a_alone(state);
      EXPECT_NE(marked_next(state), nullptr) << "it stands as long as the answer";
    }
    select_lane(state, right);
    EXPECT_EQ(marked_next(state), nullptr);
    EXPECT_EQ(state.of<LessonView>().verdict, LessonVerdict::right);
    EXPECT_EQ(fragment_picture(state).marks, viz::AnswerMarks{});
    ++steps;
  });
  EXPECT_GE(steps, 3);
}

TEST(WrongAnswer, OfALineAllThatHaveMostAreRight) {
  std::mt19937 random(32);
  int steps = 0;
  each_step(LessonStep::Kind::pick, [&](AppState& state, const LessonStep& step) {
    if (step.fact != "line") return;
    ASSERT_TRUE(stands_as_asked(state));
    std::vector<int> most, others;
    state.results.edit_serial = state.edit_serial;
    auto& lines = state.results.emulated.emplace().counted.source_lines;
    for (int line = 10; line < 40; ++line) {
      const bool is_most = line == 17 || random_below(random, 8) == 0;
      const uint64_t value = is_most ? 1000 : random() % 999 + 1;
      (is_most ? most : others).push_back(line);
      lines.push_back({line, value, value, value, value});
    }
    for (int i = 0; i < 10; ++i) {
      const int line =
          others[static_cast<size_t>(random_below(random, static_cast<int>(others.size())))];
      link_code(state, CodeText::kernel, line);
      ASSERT_NE(marked_next(state), nullptr);
      const AnswerLines marked = answer_lines(state, CodeText::kernel);
      EXPECT_EQ(marked.answered, std::vector<int>{line});
      EXPECT_EQ(marked.right, most);
      EXPECT_EQ(answer_marks(state), (viz::AnswerMarks{places_on({line}), places_on(most)}));
      EXPECT_EQ(timeline_picture(state, moment_of(state)).marks, answer_marks(state));
      EXPECT_EQ(AccessPicture().make(state, nullptr, {600, 400}).marks, answer_marks(state));
      expect_marks_of_a_alone(state);
    }
    // Counted anew, what is right is another.
    most = {lines.back().line + 1};
    lines.push_back({most[0], 2000, 2000, 2000, 2000});
    ASSERT_NE(marked_next(state), nullptr);
    EXPECT_EQ(answer_lines(state, CodeText::kernel).right, most);
    link_place(state, {});
    EXPECT_EQ(wrong_answer(state), nullptr);
    EXPECT_EQ(answer_lines(state, CodeText::kernel).right, std::vector<int>{});
    EXPECT_EQ(answer_marks(state), viz::AnswerMarks{});
    EXPECT_EQ(timeline_picture(state, moment_of(state)).marks, viz::AnswerMarks{});
    link_code(state, CodeText::kernel, most[0]);
    EXPECT_EQ(marked_next(state), nullptr);
    EXPECT_EQ(state.of<LessonView>().verdict, LessonVerdict::right);
    ++steps;
  });
  EXPECT_GE(steps, 2);
}

TEST(WrongAnswer, OfACtaTheOneOfTheElementIsRight) {
  std::mt19937 random(33);
  AppState state = initial_state();
  const PickFact& fact = *find_pick_fact("cta");
  const Problem& p = state.edit.problem;
  for (int i = 0; i < 50; ++i) {
    const Coord at{random_below(random, p.m), random_below(random, p.n)};
    const Coord tile{at.row / state.derived.plan.block_m, at.col / state.derived.plan.block_n};
    const std::vector<std::string> of = {std::to_string(at.row), std::to_string(at.col)};
    select_cta(state, {random_below(random, 8), random_below(random, 8)});
    const auto wanted = fact.wanted(state, of);
    ASSERT_TRUE(wanted);
    ASSERT_EQ(wanted->picks.size(), 1u);
    EXPECT_EQ(wanted->picks[0].cta_row, tile.row);
    EXPECT_EQ(wanted->picks[0].cta_col, tile.col);
    EXPECT_EQ(fact.right(state, of), std::optional(tile == state.selection.cta));
    mark_wrong_answer(state, fact.answered(state, of), *wanted);
    EXPECT_EQ(tiling_picture(state, 0).marks.right, wanted->picks);
    ASSERT_EQ(tiling_picture(state, 0).marks.answered.size(), 1u);
    select_cta(state, {state.selection.cta.row + 1, state.selection.cta.col});
    EXPECT_EQ(wrong_answer(state), nullptr);
  }
}

/// Each leaves a state in which nothing may be marked any more, at once.
struct ThatEndsIt {
  const char* what;
  void (*run)(AppState&);
};
constexpr ThatEndsIt kEnds[] = {
    {"another problem", change_problem},
    {"a slider",
     [](AppState& s) { set_tile_field(s, TileFieldId::block_m, 2 * s.edit.rung().tile.block_m); }},
    {"another kernel", [](AppState& s) { set_kernel(s, "thread_tile_2d"); }},
    {"the next step", [](AppState& s) { go_to_step(s, s.of<LessonView>().step + 1); }},
    {"the same step again", [](AppState& s) { go_to_step(s, s.of<LessonView>().step); }},
    {"another lesson", [](AppState& s) { open_lesson(s, lessons().back().id, 0); }},
    {"none", leave_lesson},
};

TEST(WrongAnswer, NothingIsMarkedLongerThanItStands) {
  for (const ThatEndsIt& end : kEnds) {
    SCOPED_TRACE(end.what);
    each_step(LessonStep::Kind::pick, [&](AppState& state, const LessonStep& step) {
      if (step.fact != "lane") return;
      select_lane(state, (lane_by_layout(state, step) + 7) % 32);
      if (!marked_next(state)) {  // who begins there has clicked nothing
        select_lane(state, (lane_by_layout(state, step) + 9) % 32);
        ASSERT_NE(marked_next(state), nullptr);
      }
      const uint64_t serial = state.edit_serial;
      end.run(state);
      EXPECT_EQ(wrong_answer(state), nullptr);
      EXPECT_EQ(marked_next(state), nullptr);
      if (serial == state.edit_serial || state.undo.empty()) return;
      undo(state);
      EXPECT_EQ(wrong_answer(state), nullptr);
    });
  }
}

TEST(WrongAnswer, ANumberStandsBesideTheRightOneUntilItIsTypedOver) {
  std::mt19937 random(34);
  int steps = 0;
  each_step(LessonStep::Kind::number, [&](AppState& state, const LessonStep& step) {
    const auto fact = number_fact(state, step);
    if (!fact) return;  // of a run, which there was none of
    LessonView& view = state.of<LessonView>();
    const double unit = *lesson_unit(step.unit);
    answer_number(state, "twelve");
    EXPECT_EQ(shown_difference(state), nullptr) << "no number";
    for (int i = 0; i < 5; ++i) {
      const std::string typed = std::to_string(fact->value / unit * (2 + random_below(random, 9)) +
                                               1 + random_below(random, 5));
      answer_number(state, typed);
      ASSERT_EQ(view.verdict, LessonVerdict::wrong);
      const LessonDifference* difference = shown_difference(state);
      ASSERT_NE(difference, nullptr);
      EXPECT_DOUBLE_EQ(difference->answered, std::stod(typed) * unit);
      EXPECT_EQ(difference->right, fact->value);
      EXPECT_EQ(difference->fact.right, fact->text);
      EXPECT_EQ(difference->modelled, fact->modelled);
      EXPECT_EQ(wrong_answer(state), nullptr) << "of the answer before";
      ASSERT_NE(marked_next(state), nullptr);
      expect_fact(state, step.fact, typed, fact->text);
      view.typed += "0";
      EXPECT_EQ(shown_difference(state), nullptr);
      EXPECT_EQ(marked_next(state), nullptr);
      view.typed = typed;
      EXPECT_NE(shown_difference(state), nullptr);
      EXPECT_NE(marked_next(state), nullptr);
    }
    ++state.device_serial;
    EXPECT_EQ(shown_difference(state), nullptr) << "of the device before";
    EXPECT_EQ(wrong_answer(state), nullptr) << "of the device before";
    look_at_lesson(state);
    EXPECT_EQ(view.verdict, LessonVerdict::none);
    EXPECT_EQ(view.words, "");
    change_problem(state);
    EXPECT_EQ(shown_difference(state), nullptr);
    undo(state);
    EXPECT_EQ(shown_difference(state), nullptr);
    put_as_asked(state);
    answer_number(state, std::to_string(fact->value / unit));
    EXPECT_EQ(view.verdict, LessonVerdict::right);
    EXPECT_EQ(shown_difference(state), nullptr);
    EXPECT_EQ(marked_next(state), nullptr);
    ++steps;
  });
  EXPECT_GE(steps, 5);
}

TEST(WrongAnswer, NoRowIsMarkedLongerThanTheAnswerStands) {
  std::mt19937 random(35);
  int ended = 0;
  for (const ThatEndsIt& end : kEnds) {
    SCOPED_TRACE(end.what);
    each_step(LessonStep::Kind::number, [&](AppState& state, const LessonStep& step) {
      const auto fact = number_fact(state, step);
      if (!fact || state.edit.own()) return;
      answer_number(state, std::to_string(-1 - random_below(random, 1000)));
      ASSERT_NE(marked_next(state), nullptr);
      const uint64_t serial = state.edit_serial;
      end.run(state);
      const bool ends = serial != state.edit_serial || !state.of<LessonView>().difference;
      if (!ends) return;  // what stands there is that already
      EXPECT_EQ(wrong_answer(state), nullptr);
      EXPECT_EQ(marked_next(state), nullptr);
      ++ended;
      if (serial == state.edit_serial || state.undo.empty()) return;
      undo(state);
      EXPECT_EQ(wrong_answer(state), nullptr);
    });
  }
  EXPECT_GE(ended, 20);
}

TEST(WrongAnswer, EveryFactOfALessonHasARowThatCanBeMarked) {
  for (const ChoiceFact& fact : choice_facts()) {
    EXPECT_TRUE(is_difference_row(fact.row)) << fact.id;
  }
  for (const Lesson& lesson : lessons()) {
    for (const LessonStep& step : lesson.steps) {
      if (step.kind != LessonStep::Kind::number) continue;
      EXPECT_TRUE(is_difference_row(step.fact) || find_figure(step.fact)) << step.fact;
    }
  }
}

TEST(WrongAnswer, OfAChoiceTheRightOneIsToldBesideTheWrongOne) {
  int steps = 0;
  each_step(LessonStep::Kind::choice, [&](AppState& state, const LessonStep& step) {
    const ChoiceFact& fact = *find_choice_fact(step.fact);
    const auto right = fact.right(state);
    if (!right) return;
    const int count = static_cast<int>(fact.options().size());
    for (int option = 0; option < count; ++option) {
      answer_choice(state, option);
      const LessonDifference* difference = shown_difference(state);
      EXPECT_EQ(wrong_answer(state), nullptr) << "of the option before";
      if (option == static_cast<int>(*right)) {
        EXPECT_EQ(difference, nullptr);
        EXPECT_EQ(marked_next(state), nullptr);
        continue;
      }
      ASSERT_NE(difference, nullptr);
      EXPECT_EQ(state.of<LessonView>().chosen, option);
      EXPECT_EQ(difference->right_choice, static_cast<int>(*right));
      ASSERT_NE(marked_next(state), nullptr);
      expect_fact(state, fact.row, fact.options()[static_cast<size_t>(option)],
                  fact.options()[*right]);
    }
    answer_choice(state, (static_cast<int>(*right) + 1) % count);
    ASSERT_NE(shown_difference(state), nullptr);
    go_to_step(state, state.of<LessonView>().step);
    EXPECT_EQ(shown_difference(state), nullptr);
    ++steps;
  });
  EXPECT_GE(steps, 3);
}

}  // namespace
}  // namespace tilescope
