#include "app/panel.h"

namespace tilescope {

extern const Panel launch_panel;

namespace {

constexpr const Panel* kPanels[] = {&launch_panel};

}  // namespace

extern const FeatureWindow own_window{.panels = kPanels};

}  // namespace tilescope
