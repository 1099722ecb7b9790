// The same place in a kernel's three texts: its source, its PTX and its machine code.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

enum class CodeText : int { kernel, ptx, sass };

/// The place in the code that a line of a text belongs to. Lines are counted from 1.
CodeLink link_at(const AppState& state, CodeText text, int line);
/// The lines of a text that belong to a place, ascending.
std::vector<int> linked_lines(const AppState& state, CodeText text, const CodeLink& link);
/// The same of several lines of the kernel's text, looked for once.
std::vector<int> lines_linked_with(const AppState& state, CodeText text,
                                   const std::vector<int>& kernel_lines);

/// The file that the kernel's text is of. What was opened may only include it.
std::string file_shown(const AppState& state);
/// The same where it is another than the one that was opened; empty: it is that one.
std::string other_file_shown(const AppState& state);
/// "line 52", "line 52 of 10_mma_sync.cuh" where that is not the file that was opened, "PTX line
/// 904"; empty: no place.
std::string place_words(const AppState& state, const CodeLink& place);

/// Marks the place of a line that was clicked, in all three texts. The mark goes when the code
/// changes.
void link_code(AppState& state, CodeText text, int line);
/// The same of a place that is known in itself.
void link_place(AppState& state, const CodeLink& place);
/// What is marked; none if nothing is.
CodeLink linked_code(const AppState& state);

/// The machine code as one text, its lines one by one.
std::string sass_text(const worker::SassListing& listing);
/// "sm_90 · 254 registers · 0 B spilled · 2,180 instructions · nvdisasm 13.2"
std::string sass_figures(const worker::SassListing& listing);
/// Lines that move a register to local memory or back, ascending.
std::vector<int> spill_lines(const worker::SassListing& listing);

/// The emulator counts instructions of PTX. A line of it becomes several machine instructions or
/// none; the count is shown at the first of them. Line of the machine code → count of its PTX line.
std::map<int, int> bearing_lines(const worker::SassListing& listing);
/// The line of the machine code that shows the counts of this line's PTX line; 0: it has none.
int bearing_line(const worker::SassListing& listing, int line);
/// What its figures are of: "PTX line 110, shown with the first of its 2 instructions here".
std::string counted_as(const worker::SassListing& listing, int line, int instructions);

/// Where a line of the machine code comes from, for its tooltip; empty: nobody knows.
std::string sass_origin_words(const AppState& state, int line);

}  // namespace tilescope
