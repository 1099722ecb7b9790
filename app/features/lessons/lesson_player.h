// Plays lessons without a window: at each step first a wrong answer, which must be found wrong,
// then the right one, which the emulator, the counts and the model give.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/features/lessons/lesson.h"
#include "app/state/app_state.h"

namespace tilescope {

struct LessonPlay {
  std::vector<LessonFault> faults;
  int steps = 0;  // that were played
  std::vector<double>
      answered_ms;  // how long each answer took to be checked, once its fact was known
};

/// Told of each step by its index.
struct LessonWatch {
  std::function<void(size_t step)> asked;     // what it is about stands there, unanswered
  std::function<void(size_t step)> answered;  // rightly: LessonView::words says what was found
};

/// `advance`: a frame goes by, and the worker's answers come in; false: nothing more will.
LessonPlay play_lesson(const Lesson& lesson, AppState& state,
                       const std::function<bool(AppState&)>& advance,
                       const LessonWatch& watch = {});

}  // namespace tilescope
