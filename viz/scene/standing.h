// How a figure is known, and how each kind is drawn wherever it stands: never by hue alone.
#pragma once
#include <cstdint>
#include <optional>

#include "viz/scene/builder.h"

namespace tilescope::viz {

enum class Standing : uint8_t {
  none,      // nothing is known of it
  measured,  // filled
  recorded,  // half filled
  modelled,  // hollow, its edge dashed, with a ~
};

/// A card gave the figure, now or before.
inline bool is_timed(Standing s) { return s == Standing::measured || s == Standing::recorded; }

/// A bar, or the sample of one in a legend.
void standing_bar(SceneBuilder& b, Box box, Standing standing, Color color);
/// A point of a curve.
void standing_point(SceneBuilder& b, Point center, float radius, Standing standing, Color color);
/// "~518.4" where it is modelled.
std::string standing_figure(Standing standing, double value);

}  // namespace tilescope::viz
