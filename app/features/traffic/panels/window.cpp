#include "app/panel.h"

namespace tilescope {

extern const Panel traffic_panel;

namespace {

constexpr const Panel* kPanels[] = {&traffic_panel};

}  // namespace

extern const FeatureWindow traffic_window{.panels = kPanels};

}  // namespace tilescope
