// A wrong answer beside the right one, as places that the pictures and Source mark. Whoever asks
// (a lesson) says it anew each frame, as with what is hovered; whoever draws asks here, and gets it
// only as long as what was answered is what is chosen.
#pragma once
#include <vector>

#include "app/state/app_state.h"
#include "app/state/code_link.h"
#include "viz/scene/answer_sign.h"

namespace tilescope {

/// What is chosen now is `answered`, and wrong.
void mark_wrong_answer(AppState& state, AnswerPlaces answered, AnswerPlaces right);
void unmark_answer(AppState& state);

/// Null: nothing is marked, or something else is chosen by now, or the edit is another.
const WrongAnswer* wrong_answer(const AppState& state);

/// Of it what pictures show.
viz::AnswerMarks answer_marks(const AppState& state);
/// Of it the lines of a text, ascending.
struct AnswerLines {
  std::vector<int> answered, right;
};
AnswerLines answer_lines(const AppState& state, CodeText text);

}  // namespace tilescope
