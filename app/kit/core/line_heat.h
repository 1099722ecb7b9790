// What each source line costs, as heat and number, and what is wrong with it in a sentence.
#pragma once
#include <cstdint>
#include <string>

#include "app/panel.h"
#include "app/state/access_rows.h"
#include "worker/messages/messages.h"

namespace tilescope::widgets {

/// "840", "12.3k", "33.6M": at most five characters.
std::string short_count(uint64_t value);

/// All figures of a line ("line 7"); of bank conflicts how many times and the cure.
std::string line_sentence(const std::string& line, const LineFigures& figures);

/// What a check found on a line, with its cure, broken into lines of readable width by the tooltip.
std::string finding_text(const worker::CodeFinding& finding);

/// In the margin: a cross for what is wrong, a triangle for what is slow.
void draw_finding_mark(const AppContext& context, ImVec2 at, ImVec2 size, bool wrong);

/// In the margin at `at`: a ground as strong as the figure's share of `most`, the figure
/// right-aligned in `size`.
void draw_line_heat(const AppContext& context, ImVec2 at, ImVec2 size, const LineFigures& figures,
                    LineMetric metric, uint64_t most);

}  // namespace tilescope::widgets
