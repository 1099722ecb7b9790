// Lessons: how their files are read, that none of ours is faulty, and what answers do.
#include "app/features/lessons/lesson.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "app/features/lessons/lesson_facts.h"
#include "app/features/lessons/lesson_run.h"
#include "app/state/edit.h"
#include "app/state/second.h"
#include "app/state/session.h"

namespace tilescope {
namespace {

bool whole_run() { return std::getenv("TILESCOPE_ALL") != nullptr; }

std::string told(const std::vector<LessonFault>& faults) {
  std::string all;
  for (const LessonFault& f : faults) {
    all += f.file + ":" + std::to_string(f.line) + ": " + f.sentence + "\n";
  }
  return all;
}

constexpr char kGood[] =
    "# Title\n\nText.\n\n```lesson\nstart: naive; M 64\nbeside: coalesced\n```\n\n## One\n\n"
    "Some text.\n\n```\n## no heading in code\n```\n\n```lesson\nask: number l2\nunit: MB\n"
    "within: 7 %\nagainst: B\nprompt: How many?\nsee: traffic\n```\n## Two\nmore\n";

TEST(LessonFile, IsReadAsItIsWritten) {
  std::vector<LessonFault> faults;
  const Lesson lesson = parse_lesson("x", kGood, &faults);
  EXPECT_EQ(told(faults), "");
  EXPECT_EQ(lesson.title, "Title");
  EXPECT_TRUE(lesson.text.starts_with("Text.\n"));
  EXPECT_EQ(lesson.start, (std::vector<std::string>{"naive", "M 64"}));
  EXPECT_EQ(lesson.beside, std::vector<std::string>{"coalesced"});
  ASSERT_EQ(lesson.steps.size(), 2u);
  const LessonStep& one = lesson.steps[0];
  EXPECT_EQ(one.line, 10);
  EXPECT_EQ(one.kind, LessonStep::Kind::number);
  EXPECT_EQ(one.fact, "l2");
  EXPECT_TRUE(one.against);
  EXPECT_EQ(one.unit, "MB");
  EXPECT_DOUBLE_EQ(one.within, 0.07);
  EXPECT_EQ(one.see, "traffic");
  EXPECT_NE(one.text.find("## no heading in code"), std::string::npos);
  EXPECT_EQ(one.text.find("ask:"), std::string::npos);
  EXPECT_EQ(lesson.steps[1].kind, LessonStep::Kind::read);
}

TEST(LessonFile, EachFaultIsNamedWithItsLine) {
  struct Case {
    const char* text;
    const char* sentence;
  };
  const Case cases[] = {
      {"no title\n## S\n", "x.md:1: the first line"},
      {"# T\n", "x.md:1: it has no step"},
      {"# T\n## S\n```lesson\nask: riddle l2\n```\n", "x.md:4: \"riddle l2\" is to be number"},
      {"# T\n## S\n```lesson\nask: number\n```\n", "x.md:4: \"number\" is to be"},
      {"# T\n## S\n```lesson\nbanana: 3\n```\n", "x.md:4: \"banana\" is none of"},
      {"# T\n## S\n```lesson\nunit:\n```\n", "x.md:4: \"unit:\" has no value"},
      {"# T\n## S\n```lesson\nhello\n```\n", "x.md:4: \"hello\" is no line"},
      {"# T\n## S\n```lesson\nwithin: 300 %\n```\n", "x.md:4: \"300 %\" is no share"},
      {"# T\n## S\n```lesson\nagainst: C\n```\n", "x.md:4: \"C\": only B"},
      {"# T\n## S\n```lesson\ndo: stages 2\n```\n", "x.md:2: a step that asks"},
      {"# T\n## S\n```lesson\nprompt: x\n", "x.md:3: a block ```lesson is not closed"},
  };
  for (const Case& c : cases) {
    std::vector<LessonFault> faults;
    parse_lesson("x", c.text, &faults);
    EXPECT_NE(told(faults).find(c.sentence), std::string::npos) << c.text << "\n" << told(faults);
  }
}

TEST(LessonFile, WhatItNamesMustBeThere) {
  struct Case {
    const char* block;
    const char* sentence;
  };
  const Case cases[] = {
      {"ask: number l3", "\"l3\" is the id of no figure"},
      {"ask: number l2\nunit: stones", "\"stones\" is none of the units B, kB"},
      {"ask: number l2\nagainst: B", "the lesson has no beside"},
      {"ask: choice colour", "there is no choice \"colour\": it is one of limiter"},
      {"ask: pick moon 3", "there is no pick \"moon\""},
      {"ask: pick lane D 1 2", "lane takes an operand"},
      {"ask: pick lane A 1", "lane takes an operand"},
      {"ask: pick cta -1 4", "cta takes a row"},
      {"ask: pick line heat", "line takes one of"},
      {"do: make it fast", "\"make it fast\" is nothing that the palette"},
  };
  for (const Case& c : cases) {
    std::vector<LessonFault> faults;
    const std::vector<Lesson> one = {parse_lesson(
        "x", std::string("# T\n## S\n```lesson\nprompt: P\n") + c.block + "\n```\n", &faults)};
    EXPECT_EQ(told(faults), "") << c.block;
    EXPECT_NE(told(find_faults(one)).find(c.sentence), std::string::npos) << c.block << "\n"
                                                                          << told(find_faults(one));
  }
}

TEST(LessonFile, AnyTextIsReadWithoutHarm) {
  std::mt19937 random(20261128);
  const std::string parts[] = {
      "# ",   "## ",      "```lesson\n", "```\n", "ask: ", "number ",
      "pick", " lane A ", "\n",          ":",     "do: ",  ";",
      "99",   "within: ", "-3 %",        "µ",     "\x01x", "start: naive\n"};
  for (int i = 0; i < (whole_run() ? 100000 : 3000); ++i) {
    std::string text;
    for (unsigned n = random() % 40; n > 0; --n) text += parts[random() % std::size(parts)];
    if (random() % 4 == 0) {
      text = kGood;
      for (unsigned n = random() % 8; n > 0; --n) {
        text[random() % text.size()] = static_cast<char>(random());
      }
    }
    std::vector<LessonFault> faults;
    const Lesson lesson = parse_lesson("x", text, &faults);
    const auto lines = std::ranges::count(text, '\n') + 1;
    for (const LessonFault& f : faults) EXPECT_LE(f.line, lines);
    if (i % 50 == 0) find_faults({lesson});
  }
}

TEST(Lessons, NoneOfOursIsFaulty) {
  EXPECT_EQ(told(find_faults(lessons())), "");
  ASSERT_GE(lessons().size(), 4u);
  std::set<std::string> titles;
  for (const Lesson& lesson : lessons()) {
    EXPECT_TRUE(titles.insert(lesson.title).second) << lesson.title;
    EXPECT_EQ(find_lesson(lesson.id), &lesson);
    EXPECT_TRUE(std::ranges::any_of(
        lesson.steps, [](const LessonStep& s) { return s.kind >= LessonStep::Kind::number; }))
        << lesson.id << ": nothing is predicted";
  }
}

/// The first step of a kind, of any lesson.
std::pair<const Lesson*, int> first_of(LessonStep::Kind kind) {
  for (const Lesson& lesson : lessons()) {
    for (size_t i = 0; i < lesson.steps.size(); ++i) {
      if (lesson.steps[i].kind == kind) return {&lesson, static_cast<int>(i)};
    }
  }
  return {};
}

TEST(Lessons, WhatIsDoneIsSeenAndWhatIsElseIsNamed) {
  const auto [lesson, i] = first_of(LessonStep::Kind::act);
  ASSERT_NE(lesson, nullptr);
  AppState state = initial_state();
  const Edit outside = state.edit;
  open_lesson(state, lesson->id, i);
  const LessonView& view = state.of<LessonView>();
  look_at_lesson(state);
  EXPECT_EQ(view.verdict, LessonVerdict::none);
  Problem other = state.edit.problem;
  other.m *= 2;
  set_problem(state, other);
  look_at_lesson(state);
  EXPECT_EQ(view.verdict, LessonVerdict::wrong);
  EXPECT_NE(view.words.find("Not yet"), std::string::npos);
  undo(state);
  EXPECT_EQ(do_as_typed(state, step_of(state)->changes), "");
  look_at_lesson(state);
  EXPECT_EQ(view.verdict, LessonVerdict::right) << view.words;
  leave_lesson(state);
  EXPECT_TRUE(same_request(state.edit, outside));
  EXPECT_EQ(lesson_of(state), nullptr);
}

TEST(Lessons, AFigureOfTheModelIsHeldAgainstAnAnswer) {
  for (const Lesson& lesson : lessons()) {
    for (size_t i = 0; i < lesson.steps.size(); ++i) {
      const LessonStep& step = lesson.steps[i];
      if (step.kind != LessonStep::Kind::number) continue;
      SCOPED_TRACE(lesson.id + ": " + step.title);
      AppState state = initial_state();
      open_lesson(state, lesson.id, static_cast<int>(i));
      const LessonView& view = state.of<LessonView>();
      answer_number(state, "twelve");
      EXPECT_EQ(view.verdict, LessonVerdict::wrong);
      EXPECT_NE(view.words.find("\"twelve\" is no number"), std::string::npos);
      const auto fact = number_fact(state, step);
      if (!fact) {  // of a run, which there was none of
        answer_number(state, "1");
        EXPECT_EQ(view.verdict, LessonVerdict::none);
        continue;
      }
      const double value = fact->value / *lesson_unit(step.unit);
      answer_number(state, std::to_string(3 * value + 1));
      EXPECT_EQ(view.verdict, LessonVerdict::wrong);
      answer_number(state, std::to_string(value));
      EXPECT_EQ(view.verdict, LessonVerdict::right) << view.words;
    }
  }
}

TEST(Lessons, AnAnswerIsOfWhatTheStepIsAboutAndNothingElse) {
  for (const Lesson& lesson : lessons()) {
    for (size_t i = 0; i < lesson.steps.size(); ++i) {
      const LessonStep& step = lesson.steps[i];
      if (step.kind != LessonStep::Kind::number) continue;
      AppState state = initial_state();
      open_lesson(state, lesson.id, static_cast<int>(i));
      ASSERT_TRUE(stands_as_asked(state)) << lesson.id;
      const auto fact = number_fact(state, step);
      if (!fact) continue;
      SCOPED_TRACE(lesson.id + ": " + step.title);
      const LessonView& view = state.of<LessonView>();
      const std::string right = std::to_string(fact->value / *lesson_unit(step.unit));
      answer_number(state, right);
      EXPECT_EQ(view.verdict, LessonVerdict::right);
      Problem other = state.edit.problem;
      other.m *= 2;
      set_problem(state, other);
      look_at_lesson(state);
      EXPECT_EQ(view.verdict, LessonVerdict::none) << "a tick of another problem";
      EXPECT_EQ(view.words, "");
      answer_number(state, right);
      EXPECT_EQ(view.verdict, LessonVerdict::none);
      put_as_asked(state);
      answer_number(state, right);
      EXPECT_EQ(view.verdict, LessonVerdict::right);
    }
  }
}

TEST(Lessons, WhatWasSkippedIsSetForTheStepsBehindIt) {
  const auto [lesson, i] = first_of(LessonStep::Kind::act);
  ASSERT_NE(lesson, nullptr);
  ASSERT_LT(static_cast<size_t>(i) + 1, lesson->steps.size());
  AppState done = initial_state(), skipped = initial_state();
  open_lesson(done, lesson->id, i);
  EXPECT_EQ(do_as_typed(done, step_of(done)->changes), "");
  go_to_step(done, i + 1);
  open_lesson(skipped, lesson->id, i);
  const Edit before = skipped.edit;
  go_to_step(skipped, i + 1);
  EXPECT_TRUE(same_request(done.edit, skipped.edit));
  EXPECT_FALSE(same_request(before, skipped.edit));
  go_to_step(skipped, i);
  EXPECT_TRUE(same_request(before, skipped.edit));
}

TEST(Lessons, NobodyIsInTheRightPlaceBeforeTheyHaveClicked) {
  int picks = 0;
  for (const Lesson& lesson : lessons()) {
    for (size_t i = 0; i < lesson.steps.size(); ++i) {
      const LessonStep& step = lesson.steps[i];
      if (step.kind != LessonStep::Kind::pick) continue;
      AppState state = initial_state();
      const PickFact& fact = *find_pick_fact(step.fact);
      open_lesson(state, lesson.id, static_cast<int>(i));
      if (fact.choose(state, step.of)) {  // where one may be from the step before
        go_to_step(state, static_cast<int>(i));
        EXPECT_FALSE(fact.right(state, step.of).value_or(false)) << lesson.id << ": " << step.title;
        look_at_lesson(state);
        EXPECT_EQ(state.of<LessonView>().verdict, LessonVerdict::none);
        fact.choose(state, step.of);
        look_at_lesson(state);
        EXPECT_EQ(state.of<LessonView>().verdict, LessonVerdict::right);
        ++picks;
      }
    }
  }
  EXPECT_GT(picks, 2);
}

TEST(Lessons, LeavingOneBringsBackTheTileAndB) {
  AppState state = initial_state();
  Edit other = state.edit;
  set(other.change_rung().tile, TileFieldId::stages, 2);
  compare_with(state, other, "mine");
  const AppState* mine = second_of(state);
  const Edit before = state.edit;
  for (const Lesson& lesson : lessons()) open_lesson(state, lesson.id);
  EXPECT_NE(second_of(state), mine);
  leave_lesson(state);
  EXPECT_EQ(second_of(state), mine);
  EXPECT_TRUE(same_request(state.edit, before));
}

TEST(Lessons, ALinkLeadsToAStepAndSaysNothingOfWhatIsDone) {
  AppState teacher = initial_state(), learner = initial_state();
  const std::string id = lessons().front().id;
  teacher.of<LessonView>().done[id] = 3;
  learner.of<LessonView>().done[id] = 1;
  open_lesson(teacher, id, 2);
  std::string error;
  ASSERT_TRUE(from_json(learner, shown_json(teacher), &error)) << error;
  EXPECT_EQ(learner.of<LessonView>().open, id);
  EXPECT_EQ(learner.of<LessonView>().step, 2);
  EXPECT_EQ(learner.of<LessonView>().done[id], 1);
  // One's own session has it all.
  AppState again = initial_state();
  ASSERT_TRUE(from_json(again, to_json(teacher), &error)) << error;
  EXPECT_EQ(again.of<LessonView>().done[id], 3);
}

TEST(Lessons, AnyAnswersInAnyOrderDoNoHarm) {
  std::mt19937 random(4);
  const std::string answers[] = {"1", "-1e308", "nan", "67,108,864", "~5", "", "1e-9", "0x10"};
  AppState state = initial_state();
  for (int i = 0; i < (whole_run() ? 20000 : 600); ++i) {
    const Lesson& lesson = lessons()[random() % lessons().size()];
    switch (random() % 7) {
      case 0:
        open_lesson(state, lesson.id);
        break;
      case 1:
        open_lesson(state, lesson.id, static_cast<int>(random() % 20) - 5);
        break;
      case 2:
        go_to_step(state, static_cast<int>(random() % 20) - 5);
        break;
      case 3:
        answer_number(state, answers[random() % std::size(answers)]);
        break;
      case 4:
        answer_choice(state, static_cast<int>(random() % 9) - 2);
        break;
      case 5:
        if (random() % 4 == 0) leave_lesson(state);
        break;
      default:
        random() % 2 ? undo(state) : redo(state);
        break;
    }
    look_at_lesson(state);
    const LessonView& view = state.of<LessonView>();
    if (const Lesson* open = lesson_of(state)) {
      EXPECT_LT(view.step, static_cast<int>(open->steps.size()));
    }
    for (const auto& [id, done] : view.done) {
      EXPECT_LE(done, static_cast<int>(find_lesson(id)->steps.size()));
    }
  }
}

}  // namespace
}  // namespace tilescope
