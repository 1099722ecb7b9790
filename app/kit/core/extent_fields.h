// Extents to type into: M, N and K of the problem, and others one by one.
#pragma once
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
/// Why what was typed is not taken; nothing if it was.
void refused_extent(AppContext& context, const ExtentField& field, int value);

void extent_fields(AppContext& context, AppState& state);

}  // namespace tilescope::widgets
