// Cells that the tables of figures share.
#pragma once
#include <string>

#include "app/panel.h"

namespace tilescope::widgets {

/// Right-aligned in the present cell; shortened where it must be, whole in a tooltip.
void right_text(const AppContext& context, const std::string& text, ImVec4 color);

/// A small square in a colour, before the name of a row.
void swatch(const AppContext& context, Color color);

/// The first cell of a row that can be clicked.
struct NameCell {
  const char* id;
  std::string label;
  std::string tip;
  Color color;
  bool chosen = false;
};
/// True if the row was clicked.
bool name_cell(const AppContext& context, const NameCell& cell);

}  // namespace tilescope::widgets
