// A pointer of the keyboard inside a picture: arrows go from one thing that can be picked to the
// next.
#pragma once
#include <optional>

#include "viz/scene/scene.h"

namespace tilescope::widgets {

/// For the item that was just made, a picture: null unless it has the focus by keyboard.
struct CursorKeys {
  viz::Point at;  // in scene pixels, on what is picked
  bool enter = false, twice = false;
  float wheel = 0;
};
std::optional<CursorKeys> picture_cursor(const viz::Scene& scene);

/// Where the pointer of a picture is; nothing: the keyboard has not been there. For tests.
std::optional<viz::Point> picture_cursor_at(unsigned int item);

/// From a point to the middle of the next thing in a direction (dx, dy of −1, 0, 1); the point
/// itself where there is none.
viz::Point next_thing(const viz::Scene& scene, viz::Point from, int dx, int dy);

}  // namespace tilescope::widgets
