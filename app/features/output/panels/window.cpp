#include "app/panel.h"

namespace tilescope {

extern const Panel output_panel;

namespace {

constexpr const Panel* kPanels[] = {&output_panel};

}  // namespace

extern const FeatureWindow output_window{.panels = kPanels};

}  // namespace tilescope
