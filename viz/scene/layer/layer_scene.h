// A layer as a small graph of matrices, all to one scale: what each rank has of them, what is
// computed of what, and what goes between ranks.
#pragma once
#include <string>

#include "core/workload/workload.h"
#include "viz/scene/scene.h"

namespace tilescope::viz {

struct LayerState {
  workload::Layer layer;  // one that can be
  int chosen = -1;        // steps
  int hovered = -1;
  std::string stale;  // it is not of the present choice: why, in words; drawn faded
  bool legend = false;
  bool operator==(const LayerState&) const = default;
};

/// Steps are picked as Kind::point, their index in `value`.
Scene build_layer(const LayerState& state, const Palette& palette, const TextMeasure& measure,
                  Size size);
/// What the picture needs at this width so that matrices are more than lines.
float layer_height(const LayerState& state, const TextMeasure& measure, float width);

}  // namespace tilescope::viz
