// From one total to another in steps: bars that hang where the last one ended.
#pragma once
#include <string>
#include <vector>

#include "viz/scene/scene.h"

namespace tilescope::viz {

struct WaterfallStep {
  std::string name;    // "L2"
  double by = 0;       // added to the total
  std::string figure;  // "−16.9"
  std::string words;   // why, where there is room; empty: nothing
  bool open = false;   // what nobody explains: hollow
  bool operator==(const WaterfallStep&) const = default;
};

struct WaterfallState {
  std::string from, to;       // names of the totals: "B", "A"
  double begin = 0, end = 0;  // the totals
  std::string begin_text, end_text;
  std::vector<WaterfallStep> steps;
  int hovered = -1;  // step
  bool operator==(const WaterfallState&) const = default;
};

/// Less is better: steps that lower the total are in the colour of what is right, those that raise
/// it are hatched in the warning colour. A step is picked as Kind::point, its index in `value`.
Scene build_waterfall(const WaterfallState& state, const Palette& palette,
                      const TextMeasure& measure, Size size);
/// What it needs so that no row is squashed.
float waterfall_height(const WaterfallState& state);

}  // namespace tilescope::viz
