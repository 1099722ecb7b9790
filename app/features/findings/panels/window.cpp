#include "app/panel.h"

namespace tilescope {

extern const Panel findings_panel;

namespace {

constexpr const Panel* kPanels[] = {&findings_panel};

}  // namespace

extern const FeatureWindow findings_window{.panels = kPanels};

}  // namespace tilescope
