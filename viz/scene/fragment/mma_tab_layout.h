// Where A, B and C of an atom lie in the mma tab.
#pragma once
#include "viz/scene/fragment/fragment_parts.h"

namespace tilescope::viz {

/// A left of C, B above C. Columns of A and rows of B (along k) may be smaller than the others:
/// a lane of s8 or b1 holds many of them side by side.
struct AtomPicture {
  float k_size = 0;             // of a cell along k, in A across and in B down
  float cw = 0, ch = 0;         // of a cell of C: along n, along m
  bool values_in_cells = true;  // T# and V#; else V# stands in the margin, or nowhere
  bool corner = true;           // room for the registers left of B
  float label_size = 9;
  Box a, b, c;
  float head = 0;  // height of the band above, if there is no corner
};
AtomPicture place_atom(const FragmentContext& f, Size size);

constexpr float kAtomRowLabels = 16;  // row numbers left of A
constexpr float kAtomColumnLabels = 13;
constexpr float kAtomBottom = 18;  // the legend

}  // namespace tilescope::viz
