// Random layers, ragged ones among them.
#pragma once
#include <rapidcheck.h>

#include "core/workload/workload.h"

namespace tilescope::workload {

/// Extents up to `most`; at least 8, so that any number of ranks up to 8 has something to do.
inline Layer any_layer(int most) {
  Layer l;
  l.kind =
      *rc::gen::elementOf(std::vector<LayerKind>(std::begin(kLayerKinds), std::end(kLayerKinds)));
  l.tokens = *rc::gen::inRange(8, most), l.in = *rc::gen::inRange(8, most);
  l.out = *rc::gen::inRange(8, most);
  l.ranks = *rc::gen::inRange(1, 9), l.chunks = *rc::gen::inRange(1, 9);
  l.gather = l.kind == LayerKind::column && *rc::gen::arbitrary<bool>();
  l.overlap = *rc::gen::arbitrary<bool>();
  return l;
}

}  // namespace tilescope::workload
