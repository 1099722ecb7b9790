// What the thing under the pointer is in the other panels: a line of Source, an event of Timeline
// or an element of Access, each as the lines, events and accesses that belong to it. Of the frame
// before (AppState::hover_before); nothing is worked out while nothing is hovered.
#pragma once
#include <optional>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/code_link.h"

namespace tilescope {

/// Lines of a text that belong to the event or the element under the pointer, ascending.
std::vector<int> hovered_lines(const AppState& state, CodeText text);

/// Events of the present trace that belong to the line or the element under the pointer,
/// ascending.
std::vector<int> hovered_events(const AppState& state);

/// The steps of the event under the pointer, first to last, where they are known.
struct HoveredSteps {
  BlockIndex cta;
  int warp = 0;
  uint64_t first = 0, last = 0;
};
std::optional<HoveredSteps> hovered_steps(const AppState& state);

/// The line under the pointer in Source. Of its text alone: what belongs to it in others, a click
/// asks for.
CodeLink hovered_place(const AppState& state, CodeText text, int line);

}  // namespace tilescope
