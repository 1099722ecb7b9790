// Panel Access: matrices side by side, each with a window into it whose cells say which lanes touch
// them, how often, of which warp or when; beside it where the window lies in the whole, below it
// what an instruction costs there.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "viz/scene/answer_sign.h"

namespace tilescope::viz {

using CellsPointer = std::shared_ptr<const std::vector<uint32_t>>;

/// Some of a matrix's elements; no rows: none.
struct AccessPart {
  long long row = 0, col = 0, rows = 0, cols = 0;
  bool operator==(const AccessPart&) const = default;
};

/// One matrix. Rows and columns are those of the matrix; cells are of viz/scene/cells.h.
struct AccessMatrix {
  std::string name, type;  // "A", "f32[1024,1024]"
  int number = 0;          // of the caller, for picks
  int operand = -1;        // whose colour it has: 0 A, 1 B, 2 C
  long long rows = 0, cols = 0;
  long long row = 0, col = 0, shown_rows = 0, shown_cols = 0;  // the window
  int cell_rows = 0, cell_cols = 0;  // that the window has; each may stand for several elements
  CellsPointer cells;                // null: nobody touches it
  int whole_rows = 0, whole_cols = 0;
  CellsPointer whole;  // the same of all of it, in few cells
  std::string none;    // in place of cells
  AccessPart lit;
  /// What belongs to the thing under the pointer in another picture: cells that are not empty, and
  /// the least part that has them.
  CellsPointer pointed;
  AccessPart pointed_part;
  long long hover_row = -1, hover_col = -1;
  long long chosen_row = -1, chosen_col = -1;
  std::string line, cost;  // "line 31", "32 wavefronts, ideal 1"
  std::string cost_short;  // "32, ideal 1"
  bool costly = false;     // more than ideal
  int instruction = -1;    // that the two are of
  int code_line = 0;       // of the kernel's text, that it stands on; 0: none is known
  bool operator==(const AccessMatrix&) const = default;
};

struct AccessState {
  std::vector<AccessMatrix> matrices;
  CellColor color = CellColor::lanes;  // or viridis
  std::string low, high, what;  // the ends of the colours, and what they are of; without matrices
                                // why there are none
  AnswerMarks marks;            // of instructions, by their lines
  bool operator==(const AccessState&) const = default;
};

/// Of so many matrices, how many stand beside and below each other.
struct AccessPlaces {
  int columns = 1, rows = 1;
  int count() const { return columns * rows; }
};
AccessPlaces access_places(int matrices, Size size);
/// Where the window of the nth of so many shown may lie.
Box access_box(int nth, int matrices, Size size);
/// The part of it that a window of so many rows and columns takes: cells are not endlessly large.
Box access_window_box(Box box, long long rows, long long cols);
/// Cells of a whole matrix, at most, along each side.
inline constexpr int kAccessWhole = 32;

/// Picks have the matrix's number in `value`: elements as Kind::element with row and column (of
/// wide matrices too), the whole as Kind::level, the cost as Kind::event with its instruction.
Scene build_access(const AccessState& state, const Palette& palette, const TextMeasure& measure,
                   Size size);

}  // namespace tilescope::viz
