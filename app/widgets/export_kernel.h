// "Export .cu": the present kernel and tile as one file to take away.
#pragma once
#include "app/panel.h"

namespace tilescope::widgets {

/// A button with a form for the file's name.
void export_kernel(AppContext& context);

}  // namespace tilescope::widgets
