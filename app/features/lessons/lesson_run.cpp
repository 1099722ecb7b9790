#include "app/features/lessons/lesson_run.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/features/lessons/lesson_facts.h"
#include "app/features/lessons/lesson_place.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/match.h"
#include "app/state/second.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

constexpr const char* kNotKnownYet =
    "What it is held against is not known yet: the kernel is still being compiled and run.";

/// What is asked for was got right: the step is done for good.
void pass_step(AppState& state, const Lesson& lesson, std::string words) {
  LessonView& view = state.of<LessonView>();
  unmark_answer(state);
  view.difference.reset();
  view.verdict = LessonVerdict::right;
  view.words = std::move(words);
  int& done = view.done[lesson.id];
  if (view.step == done) done = view.step + 1;
}

/// "mma sync" or "mma_sync".
const KernelEntry* kernel_named(std::string name) {
  std::ranges::replace(name, ' ', '_');
  return find_kernel(model::lower_case(name).c_str());
}

/// B, where the lesson has one.
std::optional<Edit> beside_of(const AppState& state, const Lesson& lesson) {
  if (lesson.beside.empty()) return {};
  Lesson pair;
  pair.start = lesson.start;
  pair.steps.emplace_back().changes = lesson.beside;
  const std::vector<LessonPlace> places = places_of(state, pair);
  return places.size() == 2 ? std::optional(places[1].edit) : std::nullopt;
}

void clear_answer(AppState& state) {
  LessonView& view = state.of<LessonView>();
  unmark_answer(state);
  view.difference.reset();
  view.words.clear();
  view.chosen = -1;
  view.verdict = LessonVerdict::none;
}

void begin_step(AppState& state, int step) {
  LessonView& view = state.of<LessonView>();
  const Lesson* lesson = lesson_of(state);
  const int all = lesson ? static_cast<int>(lesson->steps.size()) : 0;
  view.step = std::clamp(step, -1, all - 1);
  clear_answer(state);
  view.typed.clear(), view.picked.clear();
  view.looked = 0;
  view.position.reset(), view.wanted.reset();
  if (lesson) {
    const std::vector<LessonPlace> places = places_of(state, *lesson);
    const auto at = static_cast<size_t>(std::max(0, view.step));
    if (at < places.size()) view.position = places[at];
    if (step_of(state) && at + 1 < places.size()) view.wanted = places[at + 1];
  }
  view.beside = lesson ? beside_of(state, *lesson) : std::nullopt;
}

/// Once what the step is about stands there.
void begin_answer(AppState& state) {
  LessonView& view = state.of<LessonView>();
  const LessonStep* step = step_of(state);
  if (!step) return;
  if (step->kind == LessonStep::Kind::read) return pass_step(state, *lesson_of(state), "");
  const PickFact* fact =
      step->kind == LessonStep::Kind::pick ? find_pick_fact(step->fact) : nullptr;
  if (!fact) return;
  // Who is there already could not click: they begin elsewhere.
  if (fact->right(state, step->of).value_or(false)) fact->leave(state);
  view.picked = fact->chosen(state);
}

bool read_answer(const std::string& typed, double* value) {
  std::string text;
  for (const char c : typed) {
    if (c != ',' && c != ' ' && c != '_') text += c;  // "67,108,864"
  }
  if (text.starts_with('~')) text.erase(0, 1);
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && at == end && std::isfinite(*value);
}

/// "0.7 of B's", "67.1 MB".
std::string typed_words(const LessonStep& step, const std::string& typed) {
  const std::string figure = step.unit.empty() ? typed : typed + " " + step.unit;
  return step.against ? wording("{} of B's", figure) : figure;
}

}  // namespace

const Lesson* lesson_of(const AppState& state) { return find_lesson(state.of<LessonView>().open); }

const LessonStep* step_of(const AppState& state) {
  const Lesson* lesson = lesson_of(state);
  const int step = state.of<LessonView>().step;
  if (!lesson || step < 0 || step >= static_cast<int>(lesson->steps.size())) return nullptr;
  return &lesson->steps[static_cast<size_t>(step)];
}

std::string do_as_typed(AppState& state, const std::vector<std::string>& changes) {
  for (const std::string& change : changes) {
    // A rung alone, with the problem as it is; a preset of that name may bring its own.
    if (const KernelEntry* kernel = kernel_named(change)) {
      set_kernel(state, kernel->info.id);
      continue;
    }
    std::vector<Answer> answers = answers_of_features(state, change);
    const auto best = std::ranges::max_element(answers, {}, &Answer::score);
    if (best == answers.end() || !best->run) return change;
    best->run(state);
  }
  return {};
}

bool stands_as_asked(const AppState& state) {
  const LessonView& view = state.of<LessonView>();
  if (!view.position || !stands_at(state, *view.position)) return false;
  const AppState* b = second_of(state);
  return !view.beside || (b && same_request(b->edit, *view.beside));
}

void put_as_asked(AppState& state) {
  const LessonView& view = state.of<LessonView>();
  if (!view.position) return;
  go_to_place(state, *view.position);
  const AppState* b = second_of(state);
  if (view.beside && !(b && same_request(b->edit, *view.beside))) {
    compare_with(state, *view.beside, tile_label(*view.beside));
  }
  begin_answer(state);
}

void open_lesson(AppState& state, const std::string& id, std::optional<int> step) {
  const Lesson* lesson = find_lesson(id);
  if (!lesson) return;
  LessonView& view = state.of<LessonView>();
  const std::vector<LessonPlace> places = places_of(state, *lesson);
  LessonPlace before = present_place(state, places.empty() ? LessonPlace{} : places.back());
  if (lesson_of(state) && view.outside) {  // from one to the next: what stood before the first
    before.choices.merge_patch(view.outside->choices);
    view.outside->choices = before.choices;
  } else {
    view.outside = before;
    view.outside_second = state.of<Second>();
  }
  view.open = id;
  if (lesson->beside.empty()) compare_with_nothing(state);
  const int all = static_cast<int>(lesson->steps.size());
  const int done = view.done.contains(id) ? view.done.at(id) : 0;
  go_to_step(state, step ? *step : done == 0 || done >= all ? -1 : done);
}

void leave_lesson(AppState& state) {
  LessonView& view = state.of<LessonView>();
  if (view.outside && lesson_of(state)) {
    go_to_place(state, *view.outside);
    set_edit(state, Edit(view.outside->edit));  // with the launch that an own kernel had
    state.of<Second>() = view.outside_second;
  }
  view.outside.reset();
  view.outside_second = {};
  view.open.clear();
  begin_step(state, -1);
}

void resume_step(AppState& state, int step) {
  begin_step(state, step);
  if (stands_as_asked(state)) begin_answer(state);
}

void go_to_step(AppState& state, int step) {
  if (!lesson_of(state)) return;
  begin_step(state, step);
  put_as_asked(state);
}

void answer_number(AppState& state, const std::string& typed) {
  const Lesson* lesson = lesson_of(state);
  const LessonStep* step = step_of(state);
  if (!step || step->kind != LessonStep::Kind::number || !stands_as_asked(state)) return;
  LessonView& view = state.of<LessonView>();
  view.typed = typed;
  unmark_answer(state);
  view.difference.reset();
  view.verdict = LessonVerdict::wrong;
  double value = 0;
  if (!read_answer(typed, &value)) {
    view.words = wording("\"{}\" is no number: 67.1, or 1e6.", typed);
    return;
  }
  const auto fact = number_fact(state, *step);
  if (!fact) {
    view.verdict = LessonVerdict::none;
    view.words = kNotKnownYet;
    return;
  }
  const double answer = value * lesson_unit(step->unit).value_or(1);
  const double off = fact->value == 0 ? std::abs(answer) : std::abs(answer / fact->value - 1);
  const char* how = fact->modelled ? "by the model" : "as executed";
  if (off <= step->within + 1e-12) {
    return pass_step(state, *lesson,
                     wording("Yes. {}: {}, {}.", fact->title.c_str(), fact->text, how));
  }
  view.difference = LessonDifference{.serial = state.edit_serial,
                                     .device = state.device_serial,
                                     .typed = typed,
                                     .answered = answer,
                                     .right = fact->value,
                                     .fact = {.row = step->fact,
                                              .title = fact->title,
                                              .said = typed_words(*step, typed),
                                              .right = fact->text},
                                     .modelled = fact->modelled};
  const double ratio = fact->value != 0 ? answer / fact->value : 0;
  view.words =
      ratio > 0 ? wording("No: {} times what it is.", model::four_digits(ratio)) : tr("No.");
}

void answer_choice(AppState& state, int option) {
  const Lesson* lesson = lesson_of(state);
  const LessonStep* step = step_of(state);
  if (!step || step->kind != LessonStep::Kind::choice || !stands_as_asked(state)) return;
  LessonView& view = state.of<LessonView>();
  const ChoiceFact* fact = find_choice_fact(step->fact);
  const auto right = fact ? fact->right(state) : std::nullopt;
  view.chosen = option;
  unmark_answer(state);
  view.difference.reset();
  if (!right) {
    view.verdict = LessonVerdict::none;
    view.words = kNotKnownYet;
    return;
  }
  const std::vector<std::string> options = fact->options();
  if (static_cast<size_t>(option) == *right) {
    return pass_step(state, *lesson, wording("Yes: {}, {}.", options[*right].c_str(), fact->how));
  }
  view.verdict = LessonVerdict::wrong;
  const bool is_one = option >= 0 && static_cast<size_t>(option) < options.size();
  const std::string said = is_one ? options[static_cast<size_t>(option)] : std::string();
  view.difference = LessonDifference{
      .serial = state.edit_serial,
      .device = state.device_serial,
      .fact = {.row = fact->row, .title = fact->what, .said = said, .right = options[*right]},
      .right_choice = static_cast<int>(*right)};
  view.words = is_one ? wording("No, not {}.", said.c_str()) : tr("No.");
}

namespace {

/// What is right may be told better by now: compiled, or by the L2's simulation. Then the answer is
/// judged by that.
void renew_verdict(AppState& state, const LessonStep& step) {
  const LessonView& view = state.of<LessonView>();
  const LessonDifference was = *view.difference;
  if (step.kind == LessonStep::Kind::number) {
    const auto now = number_fact(state, step);
    if (now && now->value != was.right) answer_number(state, was.typed);
  } else if (step.kind == LessonStep::Kind::choice) {
    const ChoiceFact* fact = find_choice_fact(step.fact);
    const auto now = fact ? fact->right(state) : std::nullopt;
    if (now && static_cast<int>(*now) != was.right_choice) answer_choice(state, view.chosen);
  }
}

/// What is set is seen, by whatever hand.
void look_at_act(AppState& state, const Lesson& lesson) {
  LessonView& view = state.of<LessonView>();
  if (!view.position || !view.wanted) return;
  if (stands_at(state, *view.wanted)) {
    if (view.verdict != LessonVerdict::right) pass_step(state, lesson, "Done.");
    return;
  }
  const LessonPlace now = present_place(state, *view.wanted);
  if (view.looked == state.edit_serial && view.looked_choices == now.choices) return;
  view.looked = state.edit_serial, view.looked_choices = now.choices;
  clear_answer(state);
  if (stands_at(state, *view.position)) return;
  view.verdict = LessonVerdict::wrong;
  view.words = same_request(now.edit, view.wanted->edit)
                   ? std::string("Not yet.")
                   : wording("Not yet: {} is asked for, and {} stands there.",
                             tile_label(view.wanted->edit), tile_label(state.edit));
}

void look_at_pick(AppState& state, const Lesson& lesson, const LessonStep& step) {
  LessonView& view = state.of<LessonView>();
  const PickFact* fact = find_pick_fact(step.fact);
  const std::string chosen = fact ? fact->chosen(state) : std::string();
  if (chosen.empty()) return;
  if (chosen != view.picked) {
    const auto right = fact->right(state, step.of);
    if (!right) {
      view.words = kNotKnownYet;
      return;
    }
    if (*right) return pass_step(state, lesson, wording("Yes: {}.", chosen));
    view.picked = chosen;
    view.verdict = LessonVerdict::wrong;
    view.words = wording("No, not {}.", chosen);
  }
  if (view.verdict != LessonVerdict::wrong) return;
  // Anew each time: what is right may have become another since, and is marked as it is.
  if (auto wanted = fact->wanted(state, step.of)) {
    mark_wrong_answer(state, fact->answered(state, step.of), std::move(*wanted));
  }
}

}  // namespace

void ask_for_fact(AppState& state) {
  const LessonStep* step = step_of(state);
  if (!step || step->kind != LessonStep::Kind::number) return;
  const NamedFigure* figure = find_figure(step->fact);
  if (figure && figure->ask) figure->ask(state);
}

const LessonDifference* shown_difference(const AppState& state) {
  const LessonView& view = state.of<LessonView>();
  const LessonStep* step = step_of(state);
  if (!step || !view.difference || view.difference->serial != state.edit_serial ||
      view.difference->device != state.device_serial) {
    return nullptr;
  }
  const bool typed_over =
      step->kind == LessonStep::Kind::number && view.typed != view.difference->typed;
  return !typed_over && stands_as_asked(state) ? &*view.difference : nullptr;
}

void look_at_lesson(AppState& state) {
  unmark_answer(state);
  const Lesson* lesson = lesson_of(state);
  const LessonStep* step = step_of(state);
  if (!step) return;
  ask_for_fact(state);
  if (step->kind == LessonStep::Kind::act) return look_at_act(state, *lesson);
  LessonView& view = state.of<LessonView>();
  if (step->kind == LessonStep::Kind::read) return;
  // A verdict is of what it was given on; a figure may be another one on another device.
  const bool elsewhere = view.difference && view.difference->device != state.device_serial;
  if (elsewhere || (view.verdict != LessonVerdict::none && !stands_as_asked(state))) {
    clear_answer(state);
  }
  if (shown_difference(state)) renew_verdict(state, *step);
  if (const LessonDifference* difference = shown_difference(state)) {
    mark_wrong_fact(state, difference->fact);
  }
  if (step->kind != LessonStep::Kind::pick || view.verdict == LessonVerdict::right) return;
  if (stands_as_asked(state)) look_at_pick(state, *lesson, *step);
}

std::vector<Answer> lesson_answers(const AppState&, std::string_view typed) {
  std::vector<Answer> answers;
  const std::vector<std::string> words = words_in(typed);
  if (words.empty() || words[0] != "lesson") return answers;
  for (const Lesson& lesson : lessons()) {
    const int score = match_score(typed, "lesson " + lesson.title);
    if (score <= kScattered) continue;
    answers.push_back({.title = "lesson " + lesson.title,
                       .effect = wording("{} steps", lesson.steps.size()),
                       .score = score,
                       .run = [id = lesson.id](AppState& s) { open_lesson(s, id); },
                       .panel = "lesson"});
  }
  return answers;
}

}  // namespace tilescope
