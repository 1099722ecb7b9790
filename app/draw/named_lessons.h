// Which lessons a command line is about.
#pragma once
#include <vector>

#include "app/features/lessons/lesson.h"
#include "app/shell/options.h"

namespace tilescope {

/// Those whose ids begin as one that is named, or all. Empty: there are none, which is told on the
/// standard error.
std::vector<const Lesson*> named_lessons(const Options& options);

/// File, line, sentence on the standard error.
void print_fault(const LessonFault& fault);

}  // namespace tilescope
