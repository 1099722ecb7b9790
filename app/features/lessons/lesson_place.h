// Where the steps of a lesson stand, and whether somebody is there.
#pragma once
#include <string>
#include <vector>

#include "app/features/lessons/lesson_run.h"

namespace tilescope {

/// What each step of a lesson is about: [0] is its beginning, [i] what stands there after step
/// i − 1. Fewer where something cannot be done as it is typed.
std::vector<LessonPlace> places_of(const AppState& state, const Lesson& lesson);

/// What stands there now, of the choices that another place knows.
LessonPlace present_place(const AppState& state, const LessonPlace& as);
bool stands_at(const AppState& state, const LessonPlace& place);
/// As a step of undo.
void go_to_place(AppState& state, const LessonPlace& place);

}  // namespace tilescope
