// What the marks of a picture mean, in one line of a panel's header.
#pragma once
#include <span>

#include "app/panel.h"

namespace tilescope::widgets {

struct LegendKey {
  enum class Mark {
    fill,
    ring,         // what is selected
    thin_ring,    // what is under the pointer
    dashed_ring,  // what was answered, and is wrong
    lit,          // what the present instruction touches
    playhead,
    // How a figure is known, the same in every panel.
    measured,
    recorded,
    modelled
  };
  Mark mark = Mark::fill;
  Color color;
  const char* label = "";
  const char* tip = "";
};

/// A point that says how its figure is known: filled, half filled or hollow.
void standing_mark(ImDrawList* draw, const Theme& theme, ImVec2 center, float radius,
                   LegendKey::Mark mark, Color color);
/// "● measured ◐ recorded ○ modelled".
void standing_legend(const AppContext& context);

/// As many keys as fit into what is left of the line; returns how many.
int legend(const AppContext& context, std::span<const LegendKey> keys);

}  // namespace tilescope::widgets
