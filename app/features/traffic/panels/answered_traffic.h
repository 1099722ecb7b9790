// A wrong answer about traffic or time, as the panel Memory traffic shows it.
#pragma once
#include <string_view>

#include "app/panel.h"

namespace tilescope::widgets {

/// A line above all else, unless the table of levels is shown and has a row of it, which marks it
/// then.
void answered_traffic(const AppContext& context, bool has_levels);
/// In a row of the table of levels, if the answer is about that level: other figures may have its
/// name, as "registers" is a thread's, too.
void answered_level(const AppContext& context, std::string_view level);

}  // namespace tilescope::widgets
