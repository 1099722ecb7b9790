// Where the time of a launch goes by the model: a bar of its parts, those of the tile that it is
// compared with below, what each part costs more or less, and neighbours that should be faster.
#pragma once
#include "app/panel.h"

namespace tilescope::widgets {

/// The tile must be legal.
void time_parts(AppContext& context);

}  // namespace tilescope::widgets
