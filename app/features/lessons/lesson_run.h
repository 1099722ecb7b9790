// A lesson being gone through: which step, what was answered, and whether it was right.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/features/lessons/lesson.h"
#include "app/state/answer.h"
#include "app/state/app_state.h"
#include "app/state/second.h"

namespace tilescope {

enum class LessonVerdict { none, wrong, right };

/// What stands there as a lesson asks for it: the kernel, and of what features keep in a session
/// the values that its steps set, such as a layer's ranks.
struct LessonPlace {
  Edit edit;
  nlohmann::json choices = nlohmann::json::object();
};

/// What was answered beside what is right, of a number or a choice that is wrong. Rows of tables
/// mark it, and of a place that was clicked the pictures do (app/state/wrong_answer.h).
struct LessonDifference {
  uint64_t serial = 0, device = 0;  // of the edit and of the device that it is of
  std::string typed = {};           // number: as it was answered
  double answered = 0, right = 0;   // number: in the fact's own unit
  AnsweredFact fact = {};           // what it is of, and both in words
  bool modelled = false;            // number: by the model, else counted
  int right_choice = -1;            // choice
};

/// AppState::of<LessonView>().
struct LessonView {
  std::string open;                 // id; empty: the list of lessons
  int step = -1;                    // −1: before the first
  std::map<std::string, int> done;  // by id: how many steps from the first on were got right
  // Of the present step.
  std::string typed;  // number
  int chosen = -1;    // choice
  LessonVerdict verdict = LessonVerdict::none;
  std::string words;                           // why it is right or wrong, of what was checked
  std::optional<LessonDifference> difference;  // read it by shown_difference()
  std::optional<LessonPlace> position;  // what the step is about; of an act, what it begins at
  std::optional<LessonPlace> wanted;    // of an act
  std::optional<Edit> beside;           // B, where the lesson has one
  uint64_t looked = 0;                  // act: of the edit that was looked at last
  nlohmann::json looked_choices;        // and of the features' choices
  std::string picked;                   // pick: where one was when it began
  /// What stood there before the lesson was opened: leaving it goes back there.
  std::optional<LessonPlace> outside;
  Second outside_second;
};

const Lesson* lesson_of(const AppState& state);
const LessonStep* step_of(const AppState& state);

/// What is typed into the palette, done one after the other; the one that cannot be, or empty. A
/// rung's id chooses it.
std::string do_as_typed(AppState& state, const std::vector<std::string>& changes);

/// From its first step that is not done on, or from `step`.
void open_lesson(AppState& state, const std::string& id, std::optional<int> step = {});
/// Back to what stood there before, as a step of undo, and to B.
void leave_lesson(AppState& state);
/// What the step is about is put there: the lesson's beginning, and what its steps before ask to be
/// set, whether they were done or skipped.
void go_to_step(AppState& state, int step);
/// The same of a session: what stands there stays.
void resume_step(AppState& state, int step);
/// Whether what stands there, and B, is what the step is about: else nothing is answered or ticked.
bool stands_as_asked(const AppState& state);
/// Once it does not.
void put_as_asked(AppState& state);

/// Holds what was typed or chosen against the fact.
void answer_number(AppState& state, const std::string& typed);
void answer_choice(AppState& state, int option);
/// Null: nothing was answered wrongly, or something else stands there by now, in the field or
/// of the kernel.
const LessonDifference* shown_difference(const AppState& state);
/// Once per frame while a step's figure is waited for: a feature may have to be asked for it.
void ask_for_fact(AppState& state);
/// Once per frame: what is done or picked is seen by itself.
void look_at_lesson(AppState& state);

/// The palette's: "lesson banks".
std::vector<Answer> lesson_answers(const AppState& state, std::string_view typed);

}  // namespace tilescope
