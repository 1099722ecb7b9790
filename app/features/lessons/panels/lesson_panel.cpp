// Lesson: the list of them; or one, step by step: its text, what is asked, and whether it was
// right.
#include <fmt/format.h>

#include <algorithm>

#include "app/features/lessons/lesson_facts.h"
#include "app/features/lessons/lesson_run.h"
#include "app/kit/answer_frame.h"
#include "app/kit/markdown.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

int steps_done(const LessonView& view, const Lesson& lesson) {
  const auto at = view.done.find(lesson.id);
  return at == view.done.end() ? 0 : at->second;
}

/// A line a lesson, with what of it is done.
void list(AppContext& context, AppState& state) {
  const LessonView& view = state.of<LessonView>();
  heading(context, "LESSONS", "predict, then see");
  const float s = context.scale;
  for (size_t i = 0; i < lessons().size(); ++i) {
    const Lesson& lesson = lessons()[i];
    const int done = steps_done(view, lesson), all = static_cast<int>(lesson.steps.size());
    ImGui::PushID(lesson.id.c_str());
    const float right = ImGui::GetContentRegionAvail().x;
    if (ImGui::Selectable("##lesson", false, 0, {0, ImGui::GetFrameHeight()})) {
      open_lesson(state, lesson.id);
    }
    ImGui::SameLine(6 * s);
    ImGui::AlignTextToFramePadding();
    elided(context, fmt::format("{}  {}", i + 1, translated(lesson.title)), Tone::plain,
           right - 70 * s);
    const std::string how = done >= all ? tr("✓ done")
                            : done > 0  ? wording("{} of {}", done, all)
                                        : wording("{} steps", all);
    ImGui::SameLine(std::max(6 * s, right - ImGui::CalcTextSize(how.c_str()).x));
    ImGui::TextColored(tone_color(context, done >= all ? Tone::ok : Tone::dim), "%s", how.c_str());
    ImGui::PopID();
  }
}

/// What other features have to be learned from, in place of all else.
bool shown_instead(AppContext& context) {
  for (const FeatureWindow* window : feature_windows()) {
    if (window->slots.instead_of_lessons && window->slots.instead_of_lessons(context)) return true;
  }
  return false;
}

void under_list(AppContext& context) {
  for (const FeatureWindow* window : feature_windows()) {
    if (window->slots.under_lessons) window->slots.under_lessons(context);
  }
}

/// One dot a step: filled where it is done, ringed where one is.
void dots(AppContext& context, AppState& state, const Lesson& lesson) {
  const LessonView& view = state.of<LessonView>();
  const int all = static_cast<int>(lesson.steps.size()), done = steps_done(view, lesson);
  const float s = context.scale, side = 14 * s;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (int i = 0; i < all; ++i) {
    if (i > 0) ImGui::SameLine(0, 0);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string& title = lesson.steps[static_cast<size_t>(i)].title;
    if (ImGui::InvisibleButton(fmt::format("step{}", i).c_str(), {side, side},
                               ImGuiButtonFlags_EnableNav)) {
      go_to_step(state, i);
    }
    tooltip(context, wording("{} of {}: {}", i + 1, all, title));
    const ImVec2 middle{at.x + side / 2, at.y + side / 2};
    if (i < done) {
      draw->AddCircleFilled(middle, 4 * s, to_imgui(context.theme->ok));
    } else {
      draw->AddCircle(middle, 4 * s, to_imgui(context.theme->dim));
    }
    if (i == view.step)
      draw->AddCircle(middle, 6 * s, to_imgui(context.theme->select), 0, 1.5f * s);
  }
}

void number_field(AppContext& context, AppState& state, const LessonStep& step) {
  LessonView& view = state.of<LessonView>();
  char text[64] = {};
  view.typed.copy(text, sizeof text - 1);
  ImGui::SetNextItemWidth(120 * context.scale);
  const bool enter = ImGui::InputTextWithHint("##number", tr("your prediction"), text, sizeof text,
                                              ImGuiInputTextFlags_EnterReturnsTrue);
  view.typed = text;
  if (!step.unit.empty()) {
    ImGui::SameLine(0, 6 * context.scale);
    ImGui::TextUnformatted(step.unit.c_str());
  }
  ImGui::SameLine(0, 8 * context.scale);
  ImGui::BeginDisabled(view.typed.empty());
  if (ImGui::Button(tr_id("Check")) || (enter && !view.typed.empty()))
    answer_number(state, view.typed);
  ImGui::EndDisabled();
}

void choices(const AppContext& context, AppState& state, const LessonStep& step) {
  const LessonView& view = state.of<LessonView>();
  const ChoiceFact* fact = find_choice_fact(step.fact);
  if (!fact) return;
  const std::vector<std::string> options = fact->options();
  const LessonDifference* difference = shown_difference(state);
  for (size_t i = 0; i < options.size(); ++i) {
    const int option = static_cast<int>(i);
    const bool clicked = ImGui::RadioButton(tr_id(options[i].c_str()), view.chosen == option);
    if (difference && option == view.chosen) answer_frame(context, viz::AnswerSign::answered);
    if (difference && option == difference->right_choice) {
      answer_frame(context, viz::AnswerSign::right);
    }
    if (!clicked) continue;
    answer_choice(state, option);
    difference = nullptr;  // of the answer before: the next frame has this one's
  }
}

/// What was answered wrongly beside what is right: a number as two bars, else what the two signs
/// mean, here or in the pictures.
void difference_words(const AppContext& context, const AppState& state, const LessonStep& step) {
  const LessonDifference* difference = shown_difference(state);
  if (!difference) {
    const WrongAnswer* wrong = wrong_answer(state);
    if (wrong && !wrong->fact) answer_legend(context);  // of one typed over pictures mark nothing
    return;
  }
  if (step.kind == LessonStep::Kind::choice) return answer_legend(context);
  answer_bars(context, {"your answer", difference->fact.said, difference->answered},
              {difference->modelled ? "by the model" : "as counted", difference->fact.right,
               difference->right});
}

void wrapped(const AppContext& context, std::string_view text, Tone tone) {
  text = translated(text);
  ImGui::PushStyleColor(ImGuiCol_Text, tone_color(context, tone));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

/// What the step asks for, in a frame, and what came of the answer.
void task(AppContext& context, AppState& state, const LessonStep& step) {
  if (step.kind == LessonStep::Kind::read) return;
  const LessonView& view = state.of<LessonView>();
  ImGui::PushStyleColor(ImGuiCol_Border, to_vec4(context.theme->accent));
  constexpr ImGuiChildFlags kFlags = ImGuiChildFlags_Borders | ImGuiChildFlags_AutoResizeY |
                                     ImGuiChildFlags_NavFlattened;  // Tab goes through it
  if (ImGui::BeginChild("task", {0, 0}, kFlags)) {
    ImGui::PushFont(context.fonts.bold, Fonts::kText);
    wrapped(context, step.prompt, Tone::plain);
    ImGui::PopFont();
    const bool asked = step.kind == LessonStep::Kind::act || stands_as_asked(state);
    if (!asked) {
      wrapped(context, "Something else stands there than the step is about.", Tone::warning);
      if (ImGui::Button(tr_id("Put it back"))) put_as_asked(state);
    }
    ImGui::BeginDisabled(!asked);
    if (step.kind == LessonStep::Kind::number) number_field(context, state, step);
    if (step.kind == LessonStep::Kind::choice) choices(context, state, step);
    ImGui::EndDisabled();
    const Tone tone = view.verdict == LessonVerdict::right   ? Tone::ok
                      : view.verdict == LessonVerdict::wrong ? Tone::warning
                                                             : Tone::dim;
    if (!view.words.empty()) wrapped(context, view.words, tone);
    difference_words(context, state, step);
    if (!step.see.empty() && view.verdict != LessonVerdict::none) {
      if (const Panel* panel = find_panel(step.see)) {
        if (ImGui::SmallButton(wording("See {}", panel->title).c_str())) {
          context.commands.request("view.go." + step.see);
        }
      }
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

void buttons(AppContext& context, AppState& state, const Lesson& lesson) {
  const LessonView& view = state.of<LessonView>();
  const int last = static_cast<int>(lesson.steps.size()) - 1;
  ImGui::BeginDisabled(view.step < 0);
  if (ImGui::Button(tr_id("Back"))) go_to_step(state, view.step - 1);
  ImGui::EndDisabled();
  ImGui::SameLine(0, 6 * context.scale);
  const bool open = view.step < steps_done(view, lesson);
  if (view.step < last) {
    // Nobody is stuck: what was not got right can be gone past, and stays undone.
    if (ImGui::Button(tr_id(view.step < 0 ? "Begin" : open ? "Next" : "Skip"))) {
      go_to_step(state, view.step + 1);
    }
  } else if (ImGui::Button(tr_id("To the lessons"))) {
    leave_lesson(state);
    return;
  }
  ImGui::SameLine(0, 14 * context.scale);
  if (ImGui::SmallButton(tr_id("Leave"))) leave_lesson(state);
  tooltip(context, "Back to what stood there before the lesson; what you have done is kept");
}

void draw_lesson(AppContext& context) {
  AppState& state = *context.state;
  if (shown_instead(context)) return;
  const Lesson* lesson = lesson_of(state);
  if (!lesson) return list(context, state), under_list(context);
  const LessonStep* step = step_of(state);
  dots(context, state, *lesson);
  const float below = ImGui::GetFrameHeightWithSpacing() + 6 * context.scale;
  const std::string id = fmt::format("{}{}", lesson->id, state.of<LessonView>().step);
  if (ImGui::BeginChild(id.c_str(), {0, std::max(40 * context.scale,
                                                 ImGui::GetContentRegionAvail().y - below)})) {
    const std::string text =
        step ? fmt::format("## {}\n\n{}", translated(step->title), translated(step->text))
             : fmt::format("# {}\n\n{}", translated(lesson->title), translated(lesson->text));
    markdown(context, text, {});
    ImGui::Spacing();
    if (step) task(context, state, *step);
  }
  ImGui::EndChild();
  buttons(context, state, *lesson);
}

std::vector<Command> lesson_commands() {
  std::vector<Command> all;
  for (const Lesson& lesson : lessons()) {
    all.push_back({.id = "lesson." + lesson.id,
                   .title = "Lesson: " + lesson.title,
                   .menu = "Help/Lessons",
                   .run =
                       [id = lesson.id](AppContext& context) {
                         open_lesson(*context.state, id);
                         context.commands.request("view.layout.learn");
                         context.commands.request("view.go.lesson");
                       },
                   .also = "learn"});
  }
  return all;
}

}  // namespace

extern const Panel lesson_panel = {
    .id = "lesson",
    .title = "Lesson",
    .docks = {.learn = Dock::kRightTop},
    .draw = draw_lesson,
    .commands = lesson_commands,
    .without_plan = true,
};

}  // namespace tilescope
