// Rows of controls that may be wider than their panel. Beside a panel's tab those that do not fit
// go into a list behind a button; elsewhere they go on to the next line. Nothing is cut off.
#pragma once
#include <functional>
#include <span>

#include "app/panel.h"

namespace tilescope::widgets {

struct HeaderItem {
  float width = 0;
  std::function<void()> draw;
};
/// From left to right while they fit; the others in a list behind "…".
void header_row(const AppContext& context, std::span<const HeaderItem> items);

float small_button_width(const char* label);

/// What comes next stands beside the last item where it has room, else on a line of its own.
bool beside(float gap, float width);

}  // namespace tilescope::widgets
