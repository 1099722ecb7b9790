#include "app/panel.h"

namespace tilescope {

extern const Panel notes_panel;

namespace {

constexpr const Panel* kPanels[] = {&notes_panel};

}  // namespace

extern const FeatureWindow notes_window{.panels = kPanels};

}  // namespace tilescope
