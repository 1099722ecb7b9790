// What is right of a launch that is no GEMM: another kernel, or a file.
#pragma once
#include "app/features/own/own_view.h"
#include "app/panel.h"

namespace tilescope {

/// True when something was changed.
bool expect_fields(AppContext& context, OwnView& view);

}  // namespace tilescope
