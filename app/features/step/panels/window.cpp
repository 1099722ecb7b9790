#include "app/features/step/panels/step_parts.h"
#include "app/panel.h"

namespace tilescope {

extern const Panel warps_panel, breakpoints_panel, registers_panel, shared_memory_panel;

namespace {

constexpr const Panel* kPanels[] = {&warps_panel, &breakpoints_panel, &registers_panel,
                                    &shared_memory_panel};

}  // namespace

extern const FeatureWindow step_window{.panels = kPanels,
                                       .slots = {.above_source = draw_step_bar,
                                                 .source_margin = draw_breakpoint,
                                                 .source_margin_clicked = click_breakpoint}};

}  // namespace tilescope
