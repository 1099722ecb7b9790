// The panels that exist, from app/panels/panel_list.h.
#include <string>
#include <vector>

#include "app/panel.h"

// Rows that the build was given (-DTILESCOPE_MORE_PANELS=FILE.cpp;…), for panels kept elsewhere.
#ifdef TILESCOPE_HAS_MORE_PANELS
#include "more_panels.h"
#else
#define TILESCOPE_MORE_PANELS(X)
#endif

namespace tilescope {

extern const Panel welcome_panel;
#define TILESCOPE_PANEL(name) extern const Panel name##_panel;
#include "app/panels/panel_list.h"
TILESCOPE_MORE_PANELS(TILESCOPE_PANEL)
#undef TILESCOPE_PANEL

const std::vector<const Panel*>& all_panels() {
  static const std::vector<const Panel*> kPanels = [] {
#define TILESCOPE_PANEL(name) &name##_panel,
    std::vector<const Panel*> panels = {
#include "app/panels/panel_list.h"
        TILESCOPE_MORE_PANELS(TILESCOPE_PANEL)};
#undef TILESCOPE_PANEL
    if (panels.empty()) panels.push_back(&welcome_panel);
    return panels;
  }();
  return kPanels;
}

const Panel* find_panel(const std::string& id) {
  for (const Panel* panel : all_panels()) {
    if (id == panel->id) return panel;
  }
  return nullptr;
}

}  // namespace tilescope
