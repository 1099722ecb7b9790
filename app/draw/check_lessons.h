// `tilescope-draw --lessons`: lists the lessons; with --check each is read through and played.
#pragma once
#include "app/shell/options.h"

namespace tilescope {

/// Exit code: 0, or 4 where a lesson is faulty. One line a fault: file, line, sentence.
int check_lessons(const Options& options);

}  // namespace tilescope
