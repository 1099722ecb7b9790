// Planted bugs in other features' panels: their list and the one that is open in Lesson, its cure
// above Source.
#pragma once
#include <vector>

#include "app/panel.h"

namespace tilescope::widgets {

/// A line a bug, with how far one has come.
void bug_list(AppContext& context);
/// The one that is looked at: where it comes from, hints one after the other, the cure. False: it
/// was put away, or none is.
bool bug_card(AppContext& context);
/// While the cure is shown: what it is, and the way back to the text.
void cure_bar(AppContext& context);

std::vector<Command> bug_commands();

}  // namespace tilescope::widgets
