// Lines of the kernel's text for the palette: `line 120`, `:120`, or what stands in one; and which
// line Source is asked to show.
#pragma once
#include "app/state/answer.h"
#include "app/state/code_link.h"

namespace tilescope {

/// Taken by the panel with its next frame.
struct SourceAsked {
  CodeText text = CodeText::kernel;
  int line = 0;  // from 1; 0: nothing is asked
};

std::vector<Answer> source_answers(const AppState& state, std::string_view typed);

}  // namespace tilescope
