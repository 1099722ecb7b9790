// `tilescope-draw --lessons --html FOLDER`: lessons as pages for a browser, with the pictures of
// what was played.
#pragma once
#include "app/shell/options.h"

namespace tilescope {

/// A page for each lesson that is named, or for all, their pictures as SVG beside it, dark and
/// light, and index.html. Exit code: 0; 2: bad usage; 4: a lesson is faulty or a file cannot be
/// written, told on the standard error.
int write_lesson_pages(const Options& options);

}  // namespace tilescope
