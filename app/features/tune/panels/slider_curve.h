// One tile parameter's speed below its slider, on the slider's own ticks.
#pragma once
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/app_state.h"

namespace tilescope::widgets {

/// Opens the curve of a slider and sweeps it, where there is a card to measure on; closes it if it
/// is open.
void toggle_slider_curve(AppContext& context, TileFieldId field);

/// Nothing if it is closed. A click on a point goes to its value.
void slider_curve(AppContext& context, TileFieldId field, SliderTicks ticks);

}  // namespace tilescope::widgets
