// What nvMatmulHeuristics says, beside our own figures.
#pragma once
#include "app/panel.h"

namespace tilescope::widgets {

/// Its run time and DRAM reads of the present tile beside the measured ones, and its best tile,
/// which a click sets. Nothing for kernels that it does not know.
void second_opinion(AppContext& context);

/// Its tiles as rows of a list of presets.
void suggested_presets(AppContext& context);

}  // namespace tilescope::widgets
