// File ▸ Open for kernels: a path by hand, files that were opened before, and folders to look
// through.
#pragma once
#include "app/panel.h"

namespace tilescope {

/// True once a file was chosen, and is the subject now.
bool open_file_fields(AppContext& context);

}  // namespace tilescope
