// Lessons in Chinese by keyboard events alone: some in ./test, with --long all.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "app/features/lessons/lesson_facts.h"
#include "app/features/lessons/lesson_place.h"
#include "app/features/lessons/lesson_run.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/second.h"
#include "core/model/format.h"
#include "tests/ui/by_keys.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

constexpr size_t kInEachTest = 3;

const LessonView& view_of_lesson() { return state().of<LessonView>(); }
const Panel& panel_of_lessons() { return *find_panel("lesson"); }

/// The frame in which the step asks.
const ImGuiWindow* task_window() {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->WasActive && std::strstr(window->Name, "/task_")) return window;
  }
  return nullptr;
}

/// What the lesson has done when it is typed in its words, by the row of the palette that does it.
bool type_change(ImGuiTestContext* ctx, const std::string& change) {
  std::string rung = model::lower_case(change);
  std::replace(rung.begin(), rung.end(), ' ', '_');
  if (find_kernel(rung.c_str())) {
    return take_from_palette(ctx, change, [&](const PaletteRow& row) {
      return row.command && row.command->id == "kernel." + rung;
    });
  }
  AppState after = state();
  if (!do_as_typed(after, {change}).empty()) return false;
  const LessonPlace wanted = present_place(after, *view_of_lesson().wanted);
  return take_from_palette(ctx, change, [&](const PaletteRow& row) {
    if (row.command || !row.answer.run) return false;
    AppState tried = state();
    row.answer.run(tried);
    return stands_at(tried, wanted);
  });
}

bool type_number(ImGuiTestContext* ctx, const LessonStep& step) {
  if (!eventually(ctx, [&] { return number_fact(state(), step).has_value(); })) return false;
  const double value = number_fact(state(), step)->value / lesson_unit(step.unit).value_or(1);
  if (!go_to_item(ctx, panel_of_lessons(), "##number", task_window())) return false;
  if (ImGui::GetCurrentContext()->ActiveId == 0) ctx->KeyPress(ImGuiKey_Enter);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  ctx->KeyChars(fmt::format("{:.9g}", value).c_str());
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(3);
  return true;
}

bool take_choice(ImGuiTestContext* ctx, const LessonStep& step) {
  const ChoiceFact& fact = *find_choice_fact(step.fact);
  if (!eventually(ctx, [&] { return fact.right(state()).has_value(); })) return false;
  const std::string option = fact.options().at(*fact.right(state()));
  return press_item(ctx, panel_of_lessons(), option.c_str(), task_window());
}

/// A line by the palette, a lane in the picture.
bool go_to_place_of(ImGuiTestContext* ctx, const LessonStep& step) {
  const PickFact& fact = *find_pick_fact(step.fact);
  if (!eventually(ctx, [&] { return fact.right(state(), step.of).has_value(); })) return false;
  AppState after = state();
  if (!fact.choose(after, step.of)) return false;
  if (after.selection.lane != state().selection.lane) {
    return pick_in_picture(ctx, *find_panel(step.see), [&](const viz::Pick& pick) {
      return pick.lane == after.selection.lane;
    });
  }
  return take_from_palette(ctx, fmt::format("line {}", linked_code(after).line),
                           [](const PaletteRow& row) { return !row.command; });
}

bool answer_step(ImGuiTestContext* ctx, const LessonStep& step) {
  switch (step.kind) {
    case LessonStep::Kind::read:
      return true;
    case LessonStep::Kind::act:
      for (const std::string& change : step.changes) {
        if (!type_change(ctx, change)) return false;
      }
      return true;
    case LessonStep::Kind::number:
      return type_number(ctx, step);
    case LessonStep::Kind::choice:
      return take_choice(ctx, step);
    case LessonStep::Kind::pick:
      return go_to_place_of(ctx, step);
  }
  return false;
}

/// Empty, or at which step it does not go on.
std::string played(ImGuiTestContext* ctx, const Lesson& lesson) {
  const auto opens = [&](const PaletteRow& row) {
    return row.command && row.command->id == "lesson." + lesson.id;
  };
  if (!take_from_palette(ctx, lesson.title, opens)) return "it is not in the palette";
  if (!eventually(ctx, [&] { return view_of_lesson().open == lesson.id; })) return "not opened";
  for (size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    ctx->Yield(4);
    if (!press_item(ctx, panel_of_lessons(), i == 0 ? "Begin" : "Next")) return step.title;
    ctx->Yield(4);
    if (view_of_lesson().step != static_cast<int>(i)) return step.title + ": not reached";
    if (!answer_step(ctx, step)) return step.title + ": not answered";
    const bool right =
        eventually(ctx, [] { return view_of_lesson().verdict == LessonVerdict::right; });
    if (!right) return step.title + ": " + view_of_lesson().words;
  }
  if (view_of_lesson().done.at(lesson.id) != static_cast<int>(lesson.steps.size())) return "undone";
  ctx->Yield(4);
  if (!press_item(ctx, panel_of_lessons(), "To the lessons")) return "not left";
  return view_of_lesson().open.empty() ? "" : "not left";
}

}  // namespace

UI_TEST("lesson_keys", "lessons are gone through in Chinese by keyboard alone") {
  reset_layout(ctx);
  const std::string store = state().store;  // the tests' window has none: examples go there
  state().store = TILESCOPE_SCREENS "/lesson_keys";
  std::filesystem::remove_all(state().store);
  run_command(ctx, "view.language.zh-CN");
  ctx->MouseTeleportToPos({2, 300});  // and stays there
  std::vector<const Lesson*> all;
  for (const Lesson& lesson : lessons()) all.push_back(&lesson);
  for (const Lesson* lesson : sampled(all, kInEachTest)) {
    state().of<LessonView>() = {};
    const std::string why_not = played(ctx, *lesson);
    if (!why_not.empty()) {
      ctx->LogError("%s: %s", lesson->id.c_str(), why_not.c_str());
      screenshot(ctx, ("lesson_keys_" + lesson->id).c_str());
    }
    IM_CHECK_SILENT(why_not.empty());
  }
  end_keyboard_mode(ctx);
  run_command(ctx, "view.language.en");
  state().of<LessonView>() = {};
  leave_own_kernel(state());
  state().store = store;
  compare_with_nothing(state());
  reset_layout(ctx);
}

}  // namespace tilescope::ui_test
