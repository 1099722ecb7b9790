#include "app/features/tune/panels/slider_curve.h"
#include "app/panel.h"

namespace tilescope {

extern const Panel ladder_panel;
extern const Panel landscape_panel;

namespace {

constexpr const Panel* kPanels[] = {&ladder_panel, &landscape_panel};

}  // namespace

extern const FeatureWindow tune_window{.panels = kPanels,
                                       .slots = {.slider_clicked = widgets::toggle_slider_curve,
                                                 .under_slider = widgets::slider_curve}};

}  // namespace tilescope
