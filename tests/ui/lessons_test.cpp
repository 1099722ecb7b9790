// Lessons in the window: by mouse, in the layout Learn, at any size; what is right leads on.
#include <algorithm>
#include <string>

#include "app/features/lessons/lesson_facts.h"
#include "app/features/lessons/lesson_run.h"
#include "app/kit/scene_view.h"
#include "app/state/edit.h"
#include "app/state/second.h"
#include "app/state/wrong_answer.h"
#include "tests/ui/by_mouse.h"
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
  IM_CHECK(shown_difference(state()) != nullptr);
  IM_CHECK_SILENT(eventually(ctx, [&] { return answered_fact(state(), step.fact) != nullptr; }));
  screenshot(ctx, "lessons_wrong");
  show_panel(ctx, *find_panel("traffic"));
  ctx->Yield(3);
  screenshot(ctx, "lessons_wrong_traffic");
  ctx->ItemInputValue("//Lesson/**/##number", std::to_string(value).c_str());
  ctx->Yield(2);
  IM_CHECK(lesson_view().verdict == LessonVerdict::right);
  IM_CHECK(shown_difference(state()) == nullptr);
  IM_CHECK(answered_fact(state(), step.fact) == nullptr);
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

/// Edges in Fragment that only what was answered wrongly has.
int dashes_of_answer() {
  const viz::Scene* scene = widgets::shown_scene("fragment_scene");
  if (!scene) return 0;
  int found = 0;
  for (const viz::Primitive& p : scene->primitives) {
    const auto* rect = std::get_if<viz::Rect>(&p.shape);
    found += rect && rect->dash.on > 0 && rect->stroke == scene->palette.warning ? 1 : 0;
  }
  return found;
}

/// A click on a lane's number in Fragment; false: it is not there.
bool click_lane(ImGuiTestContext* ctx, int lane) {
  return click_in_picture(ctx, *find_panel("fragment"), [lane](const viz::Pick& pick) {
    return pick.kind == viz::Pick::Kind::lane && pick.lane == lane;
  });
}

UI_TEST("lessons", "a wrong place is marked beside the right one, until it is right") {
  reset_layout(ctx);
  run_command(ctx, "fragment.own");
  show_panel(ctx, *find_panel("fragment"));
  const auto is_lane = [](const LessonStep& step) {
    return step.kind == LessonStep::Kind::pick && step.fact == "lane";
  };
  for (const Lesson& lesson : lessons()) {
    const auto at = std::ranges::find_if(lesson.steps, is_lane);
    if (at == lesson.steps.end()) continue;
    open_lesson(state(), lesson.id, static_cast<int>(at - lesson.steps.begin()));
    break;
  }
  IM_CHECK_SILENT(step_of(state()) != nullptr);
  const LessonStep& step = *step_of(state());
  const PickFact& fact = *find_pick_fact(step.fact);
  IM_CHECK_SILENT(settled(ctx));
  IM_CHECK_EQ(dashes_of_answer(), 0);
  const auto wanted = fact.wanted(state(), step.of);
  IM_CHECK_SILENT(wanted && !wanted->picks.empty());
  const int right = wanted->picks[0].lane;
  // Not where one is already: that is no answer.
  const int wrong =
      (right + 5) % 32 == state().selection.lane ? (right + 6) % 32 : (right + 5) % 32;
  IM_CHECK(click_lane(ctx, wrong));
  IM_CHECK_SILENT(eventually(ctx, [] { return dashes_of_answer() > 1; }));
  IM_CHECK(lesson_view().verdict == LessonVerdict::wrong);
  screenshot(ctx, "lessons_wrong_place");
  IM_CHECK(click_lane(ctx, right));
  IM_CHECK_SILENT(eventually(ctx, [] { return dashes_of_answer() == 0; }));
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
