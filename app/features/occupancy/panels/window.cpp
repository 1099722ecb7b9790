#include "app/panel.h"

namespace tilescope {

extern const Panel occupancy_panel;

namespace {

constexpr const Panel* kPanels[] = {&occupancy_panel};

}  // namespace

extern const FeatureWindow occupancy_window{.panels = kPanels};

}  // namespace tilescope
