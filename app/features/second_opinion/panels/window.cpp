#include "app/features/second_opinion/panels/opinion_widgets.h"
#include "app/panel.h"

namespace tilescope {

extern const FeatureWindow second_opinion_window{
    .slots = {.preset_rows = widgets::suggested_presets, .under_times = widgets::second_opinion}};

}  // namespace tilescope
