// Where the matrices of a layer's picture lie: each step has a cell, cells stand in lines, and the
// scale is the largest at which all of them fit.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/workload/workload.h"
#include "viz/scene/scene.h"

namespace tilescope::viz {

/// A matrix in a cell.
struct DrawnMatrix {
  int matrix = -1;
  Box box;                     // of a summand the first of them
  bool turned = false;         // drawn as its transpose
  bool result = false;         // of the cell's step
  std::vector<Box> more = {};  // where ranks have summands: those of the second and the last rank
};

/// One step. In the forward pass it is drawn with its operands; in the backward pass only its
/// result is, since the operands have shapes that are already drawn above.
struct LayerCell {
  int step = 0;
  bool with_operands = false;
  std::vector<DrawnMatrix> drawn;  // boxes from the cell's corner until it is placed
  Box box;
  float arrow = 0;  // length of a collective's arrow, before its result
  float lower = 0;  // beside the product that it goes on with it stands so much lower
};

struct LayerPass {
  workload::Pass pass = workload::Pass::forward;
  Box box;
  bool title_in_heading = false;  // the only product's: it needs no line of its own
  std::vector<LayerCell> cells;
};

struct LayerFlow {
  float scale = 1;  // pixels per element
  std::vector<LayerPass> passes;
  float height = 0;
};

inline constexpr float kLayerTitle = 18;    // above a cell, its step's name
inline constexpr float kLayerName = 15;     // above a matrix
inline constexpr float kLayerHeading = 22;  // above a pass

/// The width that a cell's title would like.
using TitleWidth = std::function<float(const workload::Step&)>;

/// Lays out a picture for a box of this size. It becomes higher than the box if matrices would
/// otherwise be mere lines.
LayerFlow flow_of(const workload::Workload& w, Size room, const TitleWidth& title);

}  // namespace tilescope::viz
