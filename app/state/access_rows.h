// The rows of the table of accesses: loads, stores and copies by level of memory. For each, how
// many warp instructions there are and how many sectors or wavefronts they cost, at best and in
// fact, as modelled, counted and measured; and which lines of code they stand in.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/code_link.h"

namespace tilescope {

/// What Source shows beside each line.
enum class LineMetric : int { instructions, sectors, wavefronts };
inline constexpr const char* kLineMetrics[] = {"instructions", "sectors", "wavefronts"};

/// Of one line, whole problem.
struct LineFigures {
  uint64_t instructions = 0;           // warp instructions
  uint64_t sectors = 0;                // of 32 bytes, asked of L1
  uint64_t wavefronts = 0, ideal = 0;  // of shared memory
  bool conflicts() const { return wavefronts > ideal; }
};
uint64_t figure_of(const LineFigures& figures, LineMetric metric);

/// Of the whole launch, the pass that packs operands included in what is modelled.
struct AccessFigures {
  uint64_t requests = 0;  // warp instructions
  uint64_t cost = 0;      // sectors or wavefronts
  uint64_t ideal =
      0;  // at best: bytes that were asked for in whole sectors; one wavefront per phase
  uint64_t more() const { return cost > ideal ? cost - ideal : 0; }
};

struct AccessRow {
  const char* id = "";
  const char* label = "";
  const char* unit = "";  // "sectors", "wavefronts"
  const char* what = "";
  LineMetric metric = LineMetric::sectors;
  AccessFigures modelled;
  bool has_model = true;  // false: of a kernel without a plan, `modelled` is not filled
  bool exact = false;     // equals what the emulator counts
  bool of_card = false;   // as ptxas makes them of the PTX: nobody but a card can count them
  std::optional<AccessFigures> counted;
  uint64_t kernel_alone = 0;            // of modelled.cost without that pass, as a card counts
  std::optional<double> measured;       // sectors or wavefronts, by a card
  std::optional<double> measured_more;  // of those, conflicts
};
/// One row for each kind of access that the present kernel makes. The tile must be legal.
std::vector<AccessRow> access_rows(const AppState& state);

/// Lines of a text in which accesses of a row stand, ascending; empty without a trace.
std::vector<int> lines_of_access(const AppState& state, const std::string& id, CodeText text);
/// Of those the one that most of the row's sectors or wavefronts are of; 0: none is known.
int hottest_line_of_access(const AppState& state, const std::string& id, CodeText text);
/// The ids of the rows whose accesses stand at a place in the code.
std::vector<std::string> accesses_at(const AppState& state, const CodeLink& link);

/// Chooses a row, or none: its lines are marked in Source, with its metric beside them.
void choose_access(AppState& state, const std::string& id);
/// The chosen row of the present edit; empty: none.
std::string chosen_access(const AppState& state);

}  // namespace tilescope
