#include "app/panel.h"

namespace tilescope {

extern const Panel documents_panel;

namespace {

constexpr const Panel* kPanels[] = {&documents_panel};

}  // namespace

extern const FeatureWindow documents_window{.panels = kPanels};

}  // namespace tilescope
