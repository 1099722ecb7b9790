// The panels that exist, from app/panels/panel_list.h.
#include <string>
#include <vector>

#include "app/panel.h"
#include "app/panels/panel_list.h"

// tests/fixtures adds a panel here, to prove that one needs two files and no more.
#ifndef TILESCOPE_MORE_PANELS
#define TILESCOPE_MORE_PANELS(X)
#endif

namespace tilescope {

#define TILESCOPE_DECLARE_PANEL(name) extern const Panel name##_panel;
TILESCOPE_PANELS(TILESCOPE_DECLARE_PANEL)
TILESCOPE_MORE_PANELS(TILESCOPE_DECLARE_PANEL)

const std::vector<const Panel*>& all_panels() {
#define TILESCOPE_POINT_TO_PANEL(name) &name##_panel,
  static const std::vector<const Panel*> kPanels = {
      TILESCOPE_PANELS(TILESCOPE_POINT_TO_PANEL)
      TILESCOPE_MORE_PANELS(TILESCOPE_POINT_TO_PANEL)};
  return kPanels;
}

const Panel* find_panel(const std::string& id) {
  for (const Panel* panel : all_panels()) {
    if (id == panel->id) return panel;
  }
  return nullptr;
}

}  // namespace tilescope
