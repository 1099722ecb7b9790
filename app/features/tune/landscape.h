// Two tile parameters of the present kernel and what is known of each combination, everything else
// as it is now; and one parameter alone.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/rule_kind.h"

namespace tilescope {

/// The parameters that differ from cell to cell, and those of which each cell shows the best.
struct Axes {
  TileFieldId across = TileFieldId::none, down = TileFieldId::none;
  std::vector<TileFieldId> also;
  bool operator==(const Axes&) const = default;
};
/// As chosen, where the present kernel has them; else its first two.
Axes landscape_axes(const AppState& state);
/// Choosing one that the other axis has swaps the two.
void choose_across(AppState& state, TileFieldId field);
void choose_down(AppState& state, TileFieldId field);
void vary_also(AppState& state, TileFieldId field, bool on);
/// All of them in one list, as a sweep takes them.
std::vector<TileFieldId> all_of(const Axes& axes);

/// One combination, or the best of several.
struct LandscapeCell {
  TileConfig tile;  // that a click goes to: the best that is known, else one that can run
  Standing standing = Standing::none;
  std::optional<double> tflops;
  std::string date;
  bool older = false;      // the kernel has changed since
  bool judged = false;     // which is known, either way
  bool checkable = false;  // or can be
  Violation violation;     // of `tile`, if none of the cell's tiles can run
  bool legal() const { return violation.legal(); }
  bool present = false;  // the present tile is one of the cell's
  int tiles = 0;         // combinations that can run
  int timed = 0;         // of those, measured or recorded
  // Of the sweep:
  int swept = 0, queued = 0, running = 0;
  std::string error;  // of one that failed
};

struct Landscape {
  Axes axes;
  std::vector<int> columns, rows;    // values of the sliders
  std::vector<LandscapeCell> cells;  // row by row
  int best = -1;                     // the fastest that was timed
  int present_column = -1, present_row = -1;
  int count(Standing standing) const;
  int illegal() const;
};
Landscape landscape(const AppState& state);
/// One row of it: a slider's values with everything else as now.
Landscape cut_along(const AppState& state, TileFieldId field);

/// Why a cell cannot run, in one sentence.
std::string why_illegal(const AppState& state, const LandscapeCell& cell);

/// Every tile of some axes, the rest as in `base`; at most `most`, those near it first.
std::vector<TileConfig> combinations(const KernelEntry& kernel, const TileConfig& base,
                                     const std::vector<TileFieldId>& axes, size_t most = 4096);

}  // namespace tilescope
