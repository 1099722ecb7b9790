#include "app/panel.h"

namespace tilescope {

extern const Panel fragment_panel;

namespace {

constexpr const Panel* kPanels[] = {&fragment_panel};

}  // namespace

extern const FeatureWindow fragment_window{.panels = kPanels};

}  // namespace tilescope
