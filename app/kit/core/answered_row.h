// A wrong answer about a figure, where tables have a row of it: what was said, and what is right.
#pragma once
#include <span>
#include <string_view>

#include "app/panel.h"

namespace tilescope::widgets {

/// In a cell of the row of that name, below what stands there. Draws nothing where no wrong answer
/// is about it.
void answered_row(const AppContext& context, std::string_view row);
/// In a line of its own, where the panel has no row of it: of any row of these sections
/// (app/common/difference_rows.h).
void answered_line(const AppContext& context, std::span<const char* const> sections);

}  // namespace tilescope::widgets
