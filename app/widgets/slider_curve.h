// One tile parameter's speed below its slider, on the slider's own ticks.
#pragma once
#include "app/panel.h"
#include "app/state/app_state.h"
#include "app/widgets/widgets.h"

namespace tilescope::widgets {

/// Opens the curve of a slider and sweeps it, where there is a card to measure on; closes it if it
/// is open.
void toggle_slider_curve(AppState& state, TileFieldId field);
bool has_slider_curve(const AppState& state, TileFieldId field);

/// `ticks`: where the first and last value of the slider stand, in screen pixels. A click on a
/// point goes to its value.
void slider_curve(AppContext& context, AppState& state, TileFieldId field, SliderTicks ticks);

}  // namespace tilescope::widgets
