// What is looked at as one line of text, to be sent to somebody: it opens here and in the page.
#pragma once
#include <cstddef>
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// What an address may be long where people paste it.
inline constexpr size_t kLongestLink = 2048;  // bytes

/// "tilescope:1.eNp…": kernel, tile, problem, selection, playhead, brush and what the panels show.
/// Not: results, history, pins. A kernel of one's own is named, with its launch sheet: its text is
/// not in it. Empty, and `error` a sentence: it would be longer than kLongestLink.
std::string link_of(const AppState& state, std::string* error);

/// Such a line, or an address of the page, "https://…/#1.eNp…".
bool is_link(const std::string& text);

/// Shows what the link says; history and pins stay. Where it is of somebody's own kernel, that file
/// is awaited (AppState::awaited) unless one of that name is open, and the rung beneath is shown.
/// False: nothing was changed and `error` is one sentence.
bool open_link(AppState& state, const std::string& text, std::string* error);

}  // namespace tilescope
