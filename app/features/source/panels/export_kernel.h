// "Export .cu": the present kernel and tile as one file that nvcc builds.
#pragma once
#include "app/panel.h"

namespace tilescope::widgets {

/// True when it is pressed.
bool export_button(AppContext& context);
float export_button_width();

/// The form for the file's name; `asked`: it opens.
void export_kernel(AppContext& context, bool asked);

}  // namespace tilescope::widgets
