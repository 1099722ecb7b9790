#include "app/panel.h"

namespace tilescope {

extern const Panel card_panel;

namespace {

constexpr const Panel* kPanels[] = {&card_panel};

}  // namespace

extern const FeatureWindow card_window{.panels = kPanels};

}  // namespace tilescope
