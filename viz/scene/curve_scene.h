// A curve of speed over one tile parameter: below the landscape (a cut through it) and below a
// slider (a sweep).
#pragma once
#include <string>
#include <vector>

#include "viz/scene/scene.h"
#include "viz/scene/standing.h"

namespace tilescope::viz {

struct CurvePoint {
  std::string label = {};  // "128"
  Standing standing = Standing::none;
  double value = 0;         // TFLOPS
  std::string letter = {};  // why it cannot run; empty: it can
  bool present = false, best = false;
  bool queued = false;
  bool operator==(const CurvePoint&) const = default;
};

struct CurveState {
  std::string title;  // "stages, all else as now"
  std::string unit = "TFLOPS";
  bool from_zero = false;  // where the axis begins
  std::vector<CurvePoint> points;
  float first = 0, last = 0;  // where the first and last value stand; both 0: as there is room
  float right_room = 0;       // of the title's line, for a button
  int hovered = -1;
  bool operator==(const CurveState&) const = default;
};

/// Into a part of a picture; points are picked as Kind::point, their index from `first_pick` on in
/// `value`.
void draw_curve(SceneBuilder& b, const CurveState& state, Box box, int first_pick = 0);

/// A picture of its own.
Scene build_curve(const CurveState& state, const Palette& palette, const TextMeasure& measure,
                  Size size);

}  // namespace tilescope::viz
