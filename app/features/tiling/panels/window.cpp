#include "app/panel.h"

namespace tilescope {

extern const Panel tiling_panel;

namespace {

constexpr const Panel* kPanels[] = {&tiling_panel};

}  // namespace

extern const FeatureWindow tiling_window{.panels = kPanels};

}  // namespace tilescope
