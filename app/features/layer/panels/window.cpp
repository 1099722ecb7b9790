#include "app/panel.h"

namespace tilescope {

extern const Panel workload_panel;
extern const Panel layer_panel;
extern const Panel steps_panel;
extern const Panel layer_timeline_panel;
extern const Panel scaling_panel;

namespace {

constexpr const Panel* kPanels[] = {&workload_panel, &layer_panel, &steps_panel,
                                    &layer_timeline_panel, &scaling_panel};

}  // namespace

extern const FeatureWindow layer_window{.panels = kPanels};

}  // namespace tilescope
