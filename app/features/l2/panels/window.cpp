#include "app/panel.h"

namespace tilescope {

extern const Panel l2_panel;

namespace {

constexpr const Panel* kPanels[] = {&l2_panel};

}  // namespace

extern const FeatureWindow l2_window{.panels = kPanels};

}  // namespace tilescope
