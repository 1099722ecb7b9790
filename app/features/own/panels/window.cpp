#include "app/features/own/panels/bug_card.h"
#include "app/panel.h"

namespace tilescope {

extern const Panel launch_panel;

namespace {

constexpr const Panel* kPanels[] = {&launch_panel};

}  // namespace

extern const FeatureWindow own_window{.panels = kPanels,
                                      .slots = {.above_source = widgets::cure_bar,
                                                .instead_of_lessons = widgets::bug_card,
                                                .under_lessons = widgets::bug_list}};

}  // namespace tilescope
