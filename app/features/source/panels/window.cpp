#include "app/panel.h"

namespace tilescope {

extern const Panel source_panel;

namespace {

constexpr const Panel* kPanels[] = {&source_panel};

}  // namespace

extern const FeatureWindow source_window{.panels = kPanels};

}  // namespace tilescope
