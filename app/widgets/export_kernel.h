// "Export .cu": the present kernel and tile as one file to take away.
#pragma once
#include "app/panel.h"

namespace tilescope::widgets {

/// A button, where it has room, with a form for the file's name. `asked`: the form, by a command.
void export_kernel(AppContext& context, bool asked);

}  // namespace tilescope::widgets
