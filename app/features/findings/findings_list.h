// All that is wrong with the present kernel, or slow about it, in one list: what the checks found,
// a wrong C, spilled registers, and accesses that cost more than they must.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

struct FindingRow {
  bool error = false;  // else a remark: slow, not wrong
  std::string title;   // "racy", "bank conflicts"
  std::string text;    // one sentence: what meets what, and the cure where one is known
  CodeLink place;      // none: of the kernel as a whole
  int alike = 0;       // further findings of its kind at its line
  /// What the launch would save at most if it were cured, in µs by the model: the time that the
  /// unit in question spends on what is too much. Nothing where the model knows no such unit.
  std::optional<double> gain_us;
  double launch_us = 0;  // of all of it; of a kernel without a plan the least that it can be
  std::string unit;      // that `gain_us` is of: "shared memory"
  std::string longest;   // of a hidden one: what takes longer
  bool hidden = false;   // another unit takes longer, as modelled: little would be seen of it
  /// Where it was seen first.
  struct Seen {
    BlockIndex cta;
    int warp = 0, lane = 0;
  };
  std::optional<Seen> seen;
};

/// Errors first, in the order in which the checks tell them; then remarks by what they may gain.
/// One row per kind and source line. Empty while nothing is known of the present edit.
std::vector<FindingRow> findings_list(const AppState& state);

/// "The checks of 4 CTAs … C: verified on random data by the emulator.": what has been looked at;
/// empty if nothing has.
std::string looked_at(const AppState& state);

/// Shows a row everywhere: its line in Source, the CTA's tile, warp and lane in Tiling, and its
/// first event in Timeline, where the trace has it.
void go_to(AppState& state, const FindingRow& row);

/// The list as text: a line per row.
std::string findings_text(const AppState& state, const std::vector<FindingRow>& rows);

}  // namespace tilescope
