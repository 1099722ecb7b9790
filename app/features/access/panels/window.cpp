#include "app/panel.h"

namespace tilescope {

extern const Panel access_panel;

namespace {

constexpr const Panel* kPanels[] = {&access_panel};

}  // namespace

extern const FeatureWindow access_window{.panels = kPanels};

}  // namespace tilescope
