// Lessons in Chinese by keyboard events alone, and by mouse: some in ./test, with --long all.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/features/lessons/lesson_facts.h"
#include "app/features/lessons/lesson_run.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/second.h"
#include "tests/ui/hands.h"
#include "tests/ui/seen_windows.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

constexpr size_t kInEachTest = 3;

const LessonView& view_of_lesson() { return state().of<LessonView>(); }

/// The frame in which the step asks.
const ImGuiWindow* task_window() { return seen_child("task"); }

bool make_change(Hand& hand, const std::string& change) {
  AppState after = state();
  return do_as_typed(after, {change}).empty() && hand.set(change, after);
}

bool give_number(ImGuiTestContext* ctx, Hand& hand, const LessonStep& step) {
  if (!eventually(ctx, [&] { return number_fact(state(), step).has_value(); })) return false;
  const double value = number_fact(state(), step)->value / lesson_unit(step.unit).value_or(1);
  return hand.answer(fmt::format("{:.9g}", value), task_window());
}

bool take_choice(ImGuiTestContext* ctx, Hand& hand, const LessonStep& step) {
  const ChoiceFact& fact = *find_choice_fact(step.fact);
  if (!eventually(ctx, [&] { return fact.right(state()).has_value(); })) return false;
  const std::string option = fact.options().at(*fact.right(state()));
  return hand.press(option.c_str(), task_window());
}

/// A line of Source, or a lane in the picture.
bool go_to_place_of(ImGuiTestContext* ctx, Hand& hand, const LessonStep& step) {
  const PickFact& fact = *find_pick_fact(step.fact);
  if (!eventually(ctx, [&] { return fact.right(state(), step.of).has_value(); })) return false;
  AppState after = state();
  if (!fact.choose(after, step.of)) return false;
  if (after.selection.lane != state().selection.lane) {
    return hand.pick(*find_panel(step.see),
                     [&](const viz::Pick& pick) { return pick.lane == after.selection.lane; });
  }
  return hand.go_to_line(linked_code(after).line);
}

bool answer_step(ImGuiTestContext* ctx, Hand& hand, const LessonStep& step) {
  switch (step.kind) {
    case LessonStep::Kind::read:
      return true;
    case LessonStep::Kind::act:
      for (const std::string& change : step.changes) {
        if (!make_change(hand, change)) return false;
      }
      return true;
    case LessonStep::Kind::number:
      return give_number(ctx, hand, step);
    case LessonStep::Kind::choice:
      return take_choice(ctx, hand, step);
    case LessonStep::Kind::pick:
      return go_to_place_of(ctx, hand, step);
  }
  return false;
}

/// Empty, or at which step it does not go on.
std::string played(ImGuiTestContext* ctx, Hand& hand, const Lesson& lesson) {
  if (!hand.open(lesson)) return "it is not to be found";
  if (!eventually(ctx, [&] { return view_of_lesson().open == lesson.id; })) return "not opened";
  for (size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    ctx->Yield(4);
    if (!hand.press(i == 0 ? "Begin" : "Next", nullptr)) return step.title;
    ctx->Yield(4);
    if (view_of_lesson().step != static_cast<int>(i)) return step.title + ": not reached";
    if (!answer_step(ctx, hand, step)) return step.title + ": not answered";
    const bool right =
        eventually(ctx, [] { return view_of_lesson().verdict == LessonVerdict::right; });
    if (!right) return step.title + ": " + view_of_lesson().words;
  }
  if (view_of_lesson().done.at(lesson.id) != static_cast<int>(lesson.steps.size())) return "undone";
  ctx->Yield(4);
  if (!hand.press("To the lessons", nullptr)) return "not left";
  return view_of_lesson().open.empty() ? "" : "not left";
}

/// In Chinese. `seed`: of those that a short run takes, so that what one hand leaves out another
/// has.
void play_lessons(ImGuiTestContext* ctx, Hand& hand, const std::string& name, unsigned seed) {
  reset_layout(ctx);
  const std::string store = state().store;  // the tests' window has none: examples go there
  state().store = TILESCOPE_SCREENS "/" + name;
  std::filesystem::remove_all(state().store);
  run_command(ctx, "view.language.zh-CN");
  std::vector<const Lesson*> all;
  for (const Lesson& lesson : lessons()) all.push_back(&lesson);
  for (const Lesson* lesson : sampled(all, kInEachTest, seed)) {
    state().of<LessonView>() = {};
    const std::string why_not = played(ctx, hand, *lesson);
    if (!why_not.empty()) {
      ctx->LogError("%s: %s", lesson->id.c_str(), why_not.c_str());
      screenshot(ctx, (name + "_" + lesson->id).c_str());
    }
    IM_CHECK_SILENT(why_not.empty());
  }
  hand.leave();
  run_command(ctx, "view.language.en");
  state().of<LessonView>() = {};
  leave_own_kernel(state());
  state().store = store;
  compare_with_nothing(state());
  reset_layout(ctx);
}

}  // namespace

UI_TEST("lesson_keys", "lessons are gone through in Chinese by keyboard alone") {
  KeyHand hand(ctx);
  play_lessons(ctx, hand, "lesson_keys", 26);
}

UI_TEST("lesson_mouse", "lessons are gone through in Chinese by mouse, digits typed") {
  MouseHand hand(ctx);
  play_lessons(ctx, hand, "lesson_mouse", 27);
}

}  // namespace tilescope::ui_test
