// A pointer of the keyboard over a table of cells that a panel draws itself: arrows go from cell to
// cell, Page Up and Page Down by ten lines, Home and End along the line.
#pragma once
#include <imgui.h>

#include <optional>

#include "app/panel.h"

namespace tilescope::widgets {

struct CellKeys {
  int line = 0, column = 0;
  bool moved = false;  // in this frame: it is to be scrolled to
  bool enter = false;  // Enter or space: what a click does
};
/// For the item that was just made, one for the whole table (with ImGuiButtonFlags_EnableNav): null
/// unless it has the focus by keyboard. `columns`, `lines`: of the table, above 0.
std::optional<CellKeys> cell_cursor(int columns, int lines);

/// The frame of the cell where it is; a cell that it has just come to is scrolled into view.
void draw_cell_cursor(const AppContext& context, const CellKeys& keys, ImVec2 from, ImVec2 to);

/// The tooltip that is begun next stands beside that cell, not at the mouse.
void place_tooltip_beside(ImVec2 from, ImVec2 to);

}  // namespace tilescope::widgets
