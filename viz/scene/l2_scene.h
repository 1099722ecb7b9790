// Panel L2: the tiles of C, each coloured by the share of its reads that the L2 served, up to a
// moment of the launch; below them the hit rate over time.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viz/scene/scene.h"

namespace tilescope::viz {

/// Times are shares of the launch, 0 to 1; `begin` is −1 of a tile that no CTA works on.
struct L2TileState {
  float begin = -1, end = -1;  // of the launch
  float hits = 0;              // of its reads
  double bytes = 0;            // that it reads
};

struct L2State {
  int rows = 0, cols = 0;  // tiles of C
  /// Row by row; shared, and compared by the pointer. Null: too many to draw.
  std::shared_ptr<const std::vector<L2TileState>> tiles;
  std::vector<float> hit_rate;  // over equal stretches of the launch
  float moment = 1;             // of the launch
  std::vector<std::string> facts;
  std::optional<Pick> hover;
  int selected_row = -1, selected_col = -1;
  bool operator==(const L2State&) const = default;
};

/// Tiles are picked as Kind::cta (of several in a cell the first), stretches of time as
/// Kind::point, their index in `value`.
Scene build_l2(const L2State& state, const Palette& palette, const TextMeasure& measure, Size size);

}  // namespace tilescope::viz
