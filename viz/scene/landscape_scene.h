// The landscape: the speed at each combination of two tile parameters, as colour and number, since
// colour alone would leave out who cannot tell the colours apart.
#pragma once
#include <string>
#include <vector>

#include "viz/scene/curve_scene.h"
#include "viz/scene/scene.h"
#include "viz/scene/standing.h"

namespace tilescope::viz {

struct LandscapeCell {
  Standing standing = Standing::none;
  double value = 0;           // TFLOPS of the best that is known of it
  std::string letter = {};    // stands for why no tile of it can run; empty: some can
  bool older = false;         // recorded, and the kernel has changed since
  bool best = false;          // of all cells that were timed
  bool queued = false;        // a sweep will come to it
  bool failed = false;        // the sweep came to it, and something went wrong
  std::string progress = {};  // "1 of 4": it is being measured
  bool operator==(const LandscapeCell&) const = default;
};

/// What a letter or a mark means.
struct LandscapeKey {
  enum class Kind { present, best, older, queued, failed, letter } kind = Kind::letter;
  std::string mark;  // of a letter
  std::string text;
  bool operator==(const LandscapeKey&) const = default;
};

struct LandscapeState {
  std::string across, down;                // "block N", "block M"
  std::vector<std::string> columns, rows;  // their values
  std::vector<LandscapeCell> cells;        // row by row
  int present_column = -1, present_row = -1;
  std::vector<LandscapeKey> keys;
  std::string counts;  // "56 cells: 31 measured, 9 illegal"
  CurveState cut;      // along the present row
  int hovered = -1;    // cell, or behind them a point of the cut
  bool operator==(const LandscapeState&) const = default;
};

/// A cell is picked as Kind::point, its index in `value`; points of the cut follow the cells.
Scene build_landscape(const LandscapeState& state, const Palette& palette,
                      const TextMeasure& measure, Size size);

}  // namespace tilescope::viz
