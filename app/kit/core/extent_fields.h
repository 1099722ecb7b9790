// Extents to type into: M, N and K of the problem, and others one by one.
#pragma once
#include <string>
#include <vector>

#include "app/panel.h"
#include "app/state/app_state.h"

namespace tilescope::widgets {

/// A number from 1 to kMaxExtent; what was typed stays while it is none. One object for each field
/// on screen.
struct ExtentField {
  const char* label;
  const char* tip;
  char text[24] = "";
  bool refused = false;
  int before = 0;  // the extent when it was refused
};
/// With its label before it, in `width` altogether; true when `value` has changed.
bool extent_field(AppContext& context, ExtentField& field, int* value, float label_width,
                  float width);
/// Why what was typed is not taken, at length and in brief; nothing if it was. It goes into a line
/// that is there anyway: rows stay where they are.
std::vector<std::string> refused_extent(const ExtentField& field, int value);

void extent_fields(AppContext& context, AppState& state);
/// Of those fields: the first that was refused.
std::vector<std::string> refused_extents(const AppState& state);

}  // namespace tilescope::widgets
