#include "app/panel.h"

namespace tilescope {

extern const Panel benchmark_panel;

namespace {

constexpr const Panel* kPanels[] = {&benchmark_panel};

}  // namespace

extern const FeatureWindow benchmark_window{.panels = kPanels};

}  // namespace tilescope
