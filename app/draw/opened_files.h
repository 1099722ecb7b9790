// `tilescope-draw --opens FILE…`: whether files that others have sent open here.
#pragma once
#include "app/shell/options.h"

namespace tilescope {

/// A line for each on the standard output: "FILE: opens", or the sentence that says why it does
/// not. By the end of its name a file is a link (.link), a launch sheet (.sheet.json), a lesson
/// (.md), or a state. --json: an array, with the state that each shows and its link. Exit code: 0;
/// 1: one does not open; 4: one opens, and what would then be saved does not.
int tell_what_opens(const Options& options);

}  // namespace tilescope
