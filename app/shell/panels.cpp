// The panels that exist, from app/features/feature_list.h.
#include <string>
#include <vector>

#include "app/panel.h"

namespace tilescope {

extern const Panel welcome_panel;
#define TILESCOPE_FEATURE(name) extern const FeatureWindow name##_window;
#include "app/features/feature_list.h"
#undef TILESCOPE_FEATURE

std::span<const FeatureWindow* const> feature_windows() {
  static constexpr const FeatureWindow* kAll[] = {
#define TILESCOPE_FEATURE(name) &name##_window,
#include "app/features/feature_list.h"
#undef TILESCOPE_FEATURE
  };
  return kAll;
}

namespace {

std::vector<const Panel*>& panels() {
  static std::vector<const Panel*> all = [] {
    std::vector<const Panel*> list;
    for (const FeatureWindow* window : feature_windows()) {
      list.insert(list.end(), window->panels.begin(), window->panels.end());
    }
    return list;
  }();
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
