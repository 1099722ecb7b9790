// File ▸ Save the text of Source as: a kernel of one's own under another name, which is looked at
// from then on, with its sheet; a rung's is exported, with a main of its own.
#pragma once
#include "app/features/source/panels/source_edit.h"
#include "app/panel.h"

namespace tilescope::widgets {

/// The popup, while it is open.
void save_source_as(AppContext& context, const SourceEdit& edit, const SourceView& view);

Command save_as_command();

}  // namespace tilescope::widgets
