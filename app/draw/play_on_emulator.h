// A lesson played by the program itself, with a worker of its own: on the emulator, where no card
// is.
#pragma once
#include <functional>

#include "app/features/lessons/lesson_player.h"

namespace tilescope {

/// A frame goes by; false: nothing more will come.
using Advance = std::function<bool(AppState&)>;

/// `watch`: who looks on, given the state that is played in.
LessonPlay play_on_emulator(
    const Lesson& lesson, const std::function<LessonWatch(AppState&, const Advance&)>& watch = {});

}  // namespace tilescope
