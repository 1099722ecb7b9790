// The same place in a kernel's three texts: its source, its PTX and its machine code.
#pragma once
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

enum class CodeText : int { kernel, ptx, sass };

/// What a line of a text belongs to; lines begin with 1.
CodeLink link_at(const AppState& state, CodeText text, int line);
/// The lines of a text that belong to a place, ascending.
std::vector<int> linked_lines(const AppState& state, CodeText text, const CodeLink& link);

/// Marks the place of a line that was clicked, in all three texts, until the code is another one.
void link_code(AppState& state, CodeText text, int line);
/// What is marked; none if nothing is.
CodeLink linked_code(const AppState& state);

/// The machine code as one text, a line each of its lines.
std::string sass_text(const worker::SassListing& listing);
/// "sm_90 · 254 registers · 0 B spilled · 2,180 instructions · nvdisasm 13.2"
std::string sass_figures(const worker::SassListing& listing);
/// Lines that move a register to local memory or back, ascending.
std::vector<int> spill_lines(const worker::SassListing& listing);

}  // namespace tilescope
