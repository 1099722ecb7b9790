#include "app/panel.h"

namespace tilescope {

extern const Panel lesson_panel;

namespace {

constexpr const Panel* kPanels[] = {&lesson_panel};

}  // namespace

extern const FeatureWindow lessons_window{.panels = kPanels};

}  // namespace tilescope
