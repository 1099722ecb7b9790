// The panels that exist, from app/panels/panel_list.h.
#include <string>
#include <vector>

#include "app/panel.h"

namespace tilescope {

extern const Panel welcome_panel;
#define TILESCOPE_PANEL(name) extern const Panel name##_panel;
#include "app/panels/panel_list.h"
#undef TILESCOPE_PANEL

namespace {

std::vector<const Panel*>& panels() {
  static std::vector<const Panel*> all = {
#define TILESCOPE_PANEL(name) &name##_panel,
#include "app/panels/panel_list.h"
#undef TILESCOPE_PANEL
  };
  return all;
}

}  // namespace

void add_panel(const Panel& panel) { panels().push_back(&panel); }

const std::vector<const Panel*>& all_panels() {
  if (panels().empty()) add_panel(welcome_panel);
  return panels();
}

const Panel* find_panel(const std::string& id) {
  for (const Panel* panel : all_panels()) {
    if (id == panel->id) return panel;
  }
  return nullptr;
}

}  // namespace tilescope
