#include "app/kit/item_keys.h"

#include <imgui_internal.h>

namespace tilescope::widgets {
namespace {

ImGuiID g_given = 0;  // by a person, last

/// The last item of a window that took keys: where Shift+Tab goes.
struct Before {
  ImGuiWindow* window = nullptr;
  ImGuiID item = 0;
  int frame = -1;
};

/// ImGui's own Tab begins anew at the first field when nothing is being typed, so it is asked for
/// the item after this one, as its SetKeyboardFocusHere() does.
void focus_next() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGui::NavMoveRequestSubmit(
      ImGuiDir_None, ImGuiDir_Down,
      ImGuiNavMoveFlags_IsTabbing | ImGuiNavMoveFlags_Activate |
          (by_keyboard() ? 0 : ImGuiNavMoveFlags_NoSetNavCursorVisible),
      ImGuiScrollFlags_KeepVisibleEdgeX | ImGuiScrollFlags_KeepVisibleEdgeY);
  g.NavTabbingDir = 1;
  g.NavTabbingCounter = 1;
}

}  // namespace

bool by_keyboard() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  return (g.IO.ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) != 0 && g.NavCursorVisible;
}

bool take_key(int imgui_key) {
  const auto key = static_cast<ImGuiKey>(imgui_key);
  const ImGuiID item = ImGui::GetItemID();
  ImGui::SetKeyOwner(key, item);
  return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, item);
}

bool has_keys() {
  const ImGuiID item = ImGui::GetItemID();
  const bool tabbed = ImGui::GetCurrentContext()->NavActivateId == item;
  if (item != 0 && (ImGui::IsItemActive() || tabbed)) g_given = item;
  return ImGui::IsItemFocused() && (g_given == item || by_keyboard());
}

void give_keys(unsigned int item) {
  g_given = item;
  ImGui::SetFocusID(item, ImGui::GetCurrentWindow());
}

ItemKeys item_keys() {
  static Before before;
  ImGuiWindow* window = ImGui::GetCurrentWindow();
  const ImGuiID item = ImGui::GetItemID();
  const bool known = before.window == window && before.frame == ImGui::GetFrameCount();
  const ImGuiID previous = known ? before.item : 0;
  const bool stop = (ImGui::GetItemFlags() & ImGuiItemFlags_Inputable) != 0;
  if (stop) before = {window, item, ImGui::GetFrameCount()};
  ItemKeys keys;
  if (!has_keys() || ImGui::GetIO().WantTextInput) return keys;
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return keys;
  const auto pressed = [&](ImGuiKey key) {
    ImGui::SetKeyOwner(key, item, ImGuiInputFlags_LockThisFrame);
    return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, item);
  };
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl || io.KeyAlt) return keys;
  // By keyboard Tab, up and down are ImGui's, and lead to any item.
  const bool walks = by_keyboard();
  const bool tab = !walks && pressed(ImGuiKey_Tab);
  if (tab && io.KeyShift && previous != 0) give_keys(previous);
  if (tab && !io.KeyShift) focus_next();
  if (io.KeyShift) return keys;  // Shift+Left steps along k
  keys.step += pressed(ImGuiKey_RightArrow);
  keys.step -= pressed(ImGuiKey_LeftArrow);
  if (!walks) {
    keys.step += pressed(ImGuiKey_UpArrow);
    keys.step -= pressed(ImGuiKey_DownArrow);
  }
  for (const ImGuiKey key : {ImGuiKey_Enter, ImGuiKey_KeypadEnter}) {
    keys.enter = pressed(key) || keys.enter;
  }
  return keys;
}

}  // namespace tilescope::widgets
