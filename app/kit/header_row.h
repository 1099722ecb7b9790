// Rows of controls where room may lack: beside a panel's tab the rest is behind a button, elsewhere
// on the next line; nothing is cut.
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
