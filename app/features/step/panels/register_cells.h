// How the values of a warp's registers lie in the panel: a row a register, a cell a lane; one cell
// where all lanes have the same. Sizes in pixels.
#pragma once
#include <imgui.h>

#include <vector>

#include "app/features/step/step_words.h"
#include "app/kit/cell_cursor.h"
#include "app/panel.h"

namespace tilescope::widgets {

/// How lanes lie in lines.
struct LaneColumns {
  float name = 0, cell = 0, line = 0;
  int lanes = 8;  // per line
  size_t characters = 5;
  int rows() const { return kWarpLanes / lanes; }
};
LaneColumns columns_for(const AppContext& context, float room, NumberForm form);

/// The cell of a lane, `top` being its register's first line.
ImVec2 cell_at(const LaneColumns& c, float left, float top, int lane);

float height_of(const LaneColumns& c, const RegisterRow& row);

/// What lies under the pointer.
struct CellUnder {
  int row = -1, lane = -1;  // row −1: nothing
  ImVec2 from, to;          // its cell
};
CellUnder under_pointer(const LaneColumns& c, const std::vector<RegisterRow>& rows, float left,
                        float right, float top);

/// The lines that arrows go through: of most registers several, of one that is the same in all
/// lanes a single cell.
struct CellLine {
  int row = 0, first = 0, lanes = 1;
  ImVec2 from;
  float cell = 0;  // its cells' width
};
std::vector<CellLine> cell_lines(const LaneColumns& c, const std::vector<RegisterRow>& rows,
                                 float left, float right, float top);
CellUnder under_keys(const LaneColumns& c, const std::vector<CellLine>& lines,
                     const CellKeys& keys);

}  // namespace tilescope::widgets
