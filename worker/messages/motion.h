// Motions of a stepped launch in words: "line:54", "back:barrier", "written:C[17,33]".
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "worker/messages/messages_step.h"

namespace tilescope::worker {

/// A word of the language: its forms, and what it stops before.
struct MotionWord {
  const char* form;
  const char* what;
};
std::span<const MotionWord> motion_words();

/// `back:` before a motion turns it around, `*3` behind it repeats it, `|` between two means
/// whichever comes first. Throws std::invalid_argument with a sentence that names what is wrong.
StepMotion parse_motion(std::string_view text);

}  // namespace tilescope::worker
