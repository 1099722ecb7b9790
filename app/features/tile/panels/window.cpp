#include "app/panel.h"

namespace tilescope {

extern const Panel controls_panel;

namespace {

constexpr const Panel* kPanels[] = {&controls_panel};

}  // namespace

extern const FeatureWindow tile_window{.panels = kPanels};

}  // namespace tilescope
