// A wrong answer beside the right one, as places that the pictures and Source mark. Whoever asks
// (a lesson) says it anew each frame, as with what is hovered; whoever draws asks here, and gets it
// only as long as what was answered is what is chosen.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/code_link.h"
#include "viz/scene/answer_sign.h"

namespace tilescope {

/// What is chosen now is `answered`, and wrong.
void mark_wrong_answer(AppState& state, AnswerPlaces answered, AnswerPlaces right);
/// What was typed or chosen of a fact is wrong: no place is, but rows of tables are of it.
void mark_wrong_fact(AppState& state, AnsweredFact fact);
void unmark_answer(AppState& state);

/// Null: nothing is marked, or something else is chosen by now, or edit or device is another.
const WrongAnswer* wrong_answer(const AppState& state);

/// Of it what pictures show.
viz::AnswerMarks answer_marks(const AppState& state);
/// Of it what the row of that name shows beside its figure; null: the answer is not about it.
const AnsweredFact* answered_fact(const AppState& state, std::string_view row);
/// The same of any row of these sections (app/common/difference_rows.h), for a panel that has no
/// row of it.
const AnsweredFact* answered_fact_of(const AppState& state, std::span<const char* const> sections);
/// Of it the lines of a text, ascending.
struct AnswerLines {
  std::vector<int> answered, right;
};
AnswerLines answer_lines(const AppState& state, CodeText text);

}  // namespace tilescope
