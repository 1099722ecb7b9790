// When each rank does what: one lane per rank for products and sums, one for transfers; what was
// measured above what is modelled.
#pragma once
#include <string>
#include <vector>

#include "core/workload/schedule.h"
#include "viz/scene/scene.h"

namespace tilescope::viz {

/// One account of a layer's run.
struct LayerAccount {
  std::vector<workload::Bar> bars;  // empty: there is none
  double forward_us = 0, total_us = 0;
  bool operator==(const LayerAccount& o) const;
};

struct LayerTimelineState {
  workload::Layer layer;  // one that can be
  LayerAccount modelled, measured;
  int chosen = -1, hovered = -1;  // steps
  std::string stale;              // of another layer, in words; drawn faded
  std::string day = {};           // ", 2026-11-20" where it was measured on another day
  bool legend = false;
  bool operator==(const LayerTimelineState&) const = default;
};

/// Bars are picked as Kind::point, their step in `value`.
Scene build_layer_timeline(const LayerTimelineState& state, const Palette& palette,
                           const TextMeasure& measure, Size size);

}  // namespace tilescope::viz
