// Lessons in the window: by mouse, in the layout Learn, at any size; what is right leads on.
#include <imgui_internal.h>

#include <string>

#include "app/features/lessons/lesson_facts.h"
#include "app/features/lessons/lesson_run.h"
#include "app/state/edit.h"
#include "app/state/second.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

const LessonView& lesson_view() { return state().of<LessonView>(); }

/// The first lesson whose first step of a kind can be answered; at that step.
void open_at(ImGuiTestContext* ctx, LessonStep::Kind kind) {
  run_command(ctx, "view.layout.learn");
  run_command(ctx, "view.reset_layout");
  show_panel(ctx, *find_panel("lesson"));
  for (const Lesson& lesson : lessons()) {
    for (size_t i = 0; i < lesson.steps.size(); ++i) {
      if (lesson.steps[i].kind != kind) continue;
      open_lesson(state(), lesson.id, static_cast<int>(i));
      ctx->Yield(4);
      return;
    }
  }
}

void leave_lessons(ImGuiTestContext* ctx) {
  leave_lesson(state());
  compare_with_nothing(state());
  reset_layout(ctx);
}

}  // namespace

UI_TEST("lessons",
        "the list opens one, its steps go by, and leaving it brings back what was there") {
  run_command(ctx, "view.layout.learn");
  run_command(ctx, "view.reset_layout");
  show_panel(ctx, *find_panel("lesson"));
  const Edit before = state().edit;
  ctx->Yield(3);
  screenshot(ctx, "lessons_list");
  ctx->ItemClick(("//Lesson/" + lessons().front().id + "/##lesson").c_str());
  ctx->Yield(3);
  IM_CHECK_EQ(lesson_view().open, lessons().front().id);
  ctx->ItemClick("//Lesson/Begin");
  ctx->Yield(2);
  IM_CHECK_EQ(lesson_view().step, 0);
  screenshot(ctx, "lessons_step");
  ctx->ItemClick("//Lesson/Back");
  ctx->Yield(2);
  IM_CHECK_EQ(lesson_view().step, -1);
  ctx->ItemClick("//Lesson/Leave");
  ctx->Yield(2);
  IM_CHECK(lesson_view().open.empty());
  IM_CHECK(same_request(state().edit, before));
  leave_lessons(ctx);
}

UI_TEST("lessons", "a number is typed, found wrong, then right") {
  open_at(ctx, LessonStep::Kind::number);
  const LessonStep& step = *step_of(state());
  IM_CHECK_SILENT(eventually(ctx, [&] { return number_fact(state(), step).has_value(); }));
  const double value = number_fact(state(), step)->value / lesson_unit(step.unit).value_or(1);
  ctx->ItemInputValue("//Lesson/**/##number", std::to_string(3 * value + 1).c_str());
  ctx->Yield(2);
  IM_CHECK(lesson_view().verdict == LessonVerdict::wrong);
  screenshot(ctx, "lessons_wrong");
  ctx->ItemInputValue("//Lesson/**/##number", std::to_string(value).c_str());
  ctx->Yield(2);
  IM_CHECK(lesson_view().verdict == LessonVerdict::right);
  screenshot(ctx, "lessons_right");
  const int at = lesson_view().step;
  ctx->ItemClick("//Lesson/Next");
  ctx->Yield(2);
  IM_CHECK_EQ(lesson_view().step, at + 1);
  leave_lessons(ctx);
}

UI_TEST("lessons", "what is asked for is done by any hand") {
  open_at(ctx, LessonStep::Kind::act);
  IM_CHECK(lesson_view().verdict == LessonVerdict::none);
  IM_CHECK_STR_EQ(do_as_typed(state(), step_of(state())->changes).c_str(), "");
  ctx->Yield(3);
  IM_CHECK(lesson_view().verdict == LessonVerdict::right);
  leave_lessons(ctx);
}

UI_TEST("lessons", "a place is clicked") {
  open_at(ctx, LessonStep::Kind::pick);
  const LessonStep& step = *step_of(state());
  const PickFact& fact = *find_pick_fact(step.fact);
  IM_CHECK_SILENT(eventually(ctx, [&] { return fact.right(state(), step.of).has_value(); }));
  IM_CHECK(fact.choose(state(), step.of));
  ctx->Yield(3);
  IM_CHECK(lesson_view().verdict == LessonVerdict::right);
  leave_lessons(ctx);
}

UI_TEST("lessons", "every panel that a lesson names is there") {
  for (const Lesson& lesson : lessons()) {
    for (const LessonStep& step : lesson.steps) {
      if (step.see.empty() || find_panel(step.see)) continue;
      ctx->LogError("%s: there is no panel \"%s\"", lesson.id.c_str(), step.see.c_str());
      IM_CHECK(false);
    }
  }
}

}  // namespace tilescope::ui_test
