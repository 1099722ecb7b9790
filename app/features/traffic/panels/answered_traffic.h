// A wrong answer about traffic or time, as the panel Memory traffic shows it.
#pragma once
#include "app/panel.h"

namespace tilescope::widgets {

/// A line above all else, unless the table of levels is shown and has a row of it, which marks it
/// then.
void answered_traffic(const AppContext& context, bool has_levels);

}  // namespace tilescope::widgets
