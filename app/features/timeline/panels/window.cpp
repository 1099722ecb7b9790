#include "app/panel.h"

namespace tilescope {

extern const Panel timeline_panel;

namespace {

constexpr const Panel* kPanels[] = {&timeline_panel};

}  // namespace

extern const FeatureWindow timeline_window{.panels = kPanels};

}  // namespace tilescope
