#include "app/panel.h"

namespace tilescope {

extern const Panel compare_tiling_panel, compare_timeline_panel, why_panel, turns_panel,
    difference_panel;

namespace {

constexpr const Panel* kPanels[] = {&compare_tiling_panel, &compare_timeline_panel, &why_panel,
                                    &turns_panel, &difference_panel};

}  // namespace

extern const FeatureWindow compare_window{.panels = kPanels};

}  // namespace tilescope
