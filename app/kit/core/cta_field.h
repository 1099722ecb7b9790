// A CTA to be typed, by its blockIdx.
#pragma once
#include "app/panel.h"
#include "core/layout/launch.h"

namespace tilescope::widgets {

/// "CTA" and x, y, in a grid of several layers z: all of it so wide.
float cta_field_width(const AppContext& context, BlockIndex grid);
/// True once another one was typed; it is one of the grid's.
bool cta_field(const AppContext& context, const char* id, BlockIndex grid, BlockIndex* cta,
               const char* what = "The CTA that is looked at");

}  // namespace tilescope::widgets
