// Panels' windows as ImGui knows them, and those inside them.
#pragma once
#include <imgui_internal.h>

#include <cstring>

#include "app/panel.h"

namespace tilescope::ui_test {

inline ImGuiWindow* window_of(const Panel& panel) { return ImGui::FindWindowByName(panel.title); }

inline bool is_seen(const ImGuiWindow* window) {
  return window && window->WasActive && !window->Hidden;
}

/// A child window that is seen, by the id it was begun with; null: there is none.
inline ImGuiWindow* seen_child(const char* id) {
  for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const char* name = std::strrchr(window->Name, '/');  // ImGui's: PARENT/ID_HASH
    const size_t length = std::strlen(id);
    if (name && is_seen(window) && std::strncmp(name + 1, id, length) == 0 &&
        name[1 + length] == '_') {
      return window;
    }
  }
  return nullptr;
}

}  // namespace tilescope::ui_test
