#include "app/shell/keyboard_mode.h"

#include <imgui_internal.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/kit/item_keys.h"
#include "app/panel.h"

namespace tilescope {
namespace {

constexpr ImGuiKey kOfFocus[] = {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow,
                                 ImGuiKey_DownArrow, ImGuiKey_Space,      ImGuiKey_Enter,
                                 ImGuiKey_Home,      ImGuiKey_End,        ImGuiKey_PageUp,
                                 ImGuiKey_PageDown,  ImGuiKey_Backspace,  ImGuiKey_Escape};

/// What edits text by itself (the code editor) has Tab to itself.
bool editor_has_keys(const ImGuiContext& g) {
  return g.IO.WantTextInput && (g.ActiveId == 0 || g.InputTextState.ID != g.ActiveId);
}

/// Windows of panels that are to be seen, in the order of their panels.
std::vector<ImGuiWindow*> seen_panels() {
  std::vector<ImGuiWindow*> all;
  for (const Panel* panel : all_panels()) {
    ImGuiWindow* window = ImGui::FindWindowByName(panel->title);
    if (window && window->WasActive && !window->Hidden) all.push_back(window);
  }
  return all;
}

/// What is asked for between frames; ImGui takes it inside of one.
int panels_to_go = 0;
bool menus_asked = false;
/// Something is framed: keys that move or press are its own.
bool focus_has_keys = false;
/// Escape in the frame before would have closed something: a popup, a field, a menu.
bool was_inside = false;
/// What had the focus is gone, or disabled: of such a one ImGui would not tab on.
bool focus_is_lost = false;

void focus_panel(int by) {
  const std::vector<ImGuiWindow*> all = seen_panels();
  if (all.empty()) return;
  const ImGuiWindow* now = ImGui::GetCurrentContext()->NavWindow;
  const auto at = std::ranges::find_if(all, [&](const ImGuiWindow* window) {
    return now && (now == window || now->RootWindow == window);
  });
  const auto count = static_cast<int>(all.size());
  const int from =
      at == all.end() ? (by > 0 ? -1 : count) : static_cast<int>(std::distance(all.begin(), at));
  ImGuiWindow* to = all[static_cast<size_t>((from + by + count) % count)];
  set_keyboard_mode(true);
  ImGui::FocusWindow(to);
  // Where it was last, else its first item.
  ImGui::NavInitWindow(to, to->NavLastIds[0] == 0);
  ImGui::SetNavCursorVisible(true);
}

/// Alt that was pressed and let go with nothing between.
bool alt_alone() {
  static bool alone = false;
  ImGuiContext& g = *ImGui::GetCurrentContext();
  for (const ImGuiKey key : {ImGuiKey_LeftAlt, ImGuiKey_RightAlt}) {
    ImGui::SetKeyOwner(key, ImGui::GetID("menus by Alt"));
    if (g.IO.KeysData[key - ImGuiKey_NamedKey_BEGIN].DownDuration == 0) alone = true;
  }
  if (!alone || g.IO.KeyAlt) {
    for (int key = ImGuiKey_Tab; key < ImGuiKey_GamepadStart; ++key) {
      const bool modifier = key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper;
      if (!modifier && ImGui::IsKeyDown(static_cast<ImGuiKey>(key))) alone = false;
    }
    if (ImGui::IsAnyMouseDown()) alone = false;
    return false;
  }
  return std::exchange(alone, false);
}

}  // namespace

bool keyboard_mode() {
  return (ImGui::GetIO().ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) != 0;
}

void set_keyboard_mode(bool on) {
  ImGuiConfigFlags& flags = ImGui::GetIO().ConfigFlags;
  flags =
      on ? flags | ImGuiConfigFlags_NavEnableKeyboard : flags & ~ImGuiConfigFlags_NavEnableKeyboard;
  if (!on) ImGui::SetNavCursorVisible(false);
}

void follow_keyboard() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  was_inside = g.OpenPopupStack.Size > 0 || g.ActiveId != 0 || g.NavLayer != 0;
  focus_is_lost =
      g.NavId != 0 && (!g.NavIdIsAlive || (g.NavIdItemFlags & ImGuiItemFlags_Disabled) != 0);
  for (const ImGuiInputEvent& event : g.InputEventsQueue) {
    const bool tab =
        event.Type == ImGuiInputEventType_Key && event.Key.Down && event.Key.Key == ImGuiKey_Tab;
    if (tab && !keyboard_mode() && !editor_has_keys(g)) set_keyboard_mode(true);
  }
}

void keyboard_in_frame() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool tabs = g.NavMoveScoringItems && (g.NavMoveFlags & ImGuiNavMoveFlags_IsTabbing) != 0;
  if (focus_is_lost && tabs && g.NavTabbingDir > 0) g.NavTabbingCounter = 1;  // to the first
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key, false); };
  // One that came after follow_keyboard() had looked.
  if (!keyboard_mode() && !editor_has_keys(g) && pressed(ImGuiKey_Tab)) set_keyboard_mode(true);
  focus_has_keys = widgets::by_keyboard();  // of this frame, if it ends here, too
  const bool clicked =
      ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  const bool left = pressed(ImGuiKey_Escape) && !was_inside;
  if (keyboard_mode() && (clicked || left)) set_keyboard_mode(false);
  if (alt_alone() && g.OpenPopupStack.Size == 0) {
    set_keyboard_mode(true);
    menus_asked = true;
  }
  if (const int by = std::exchange(panels_to_go, 0); by != 0) focus_panel(by);
}

bool take_menu_request() { return std::exchange(menus_asked, false); }

bool is_for_focus(ImGuiKeyChord chord) {
  if (!focus_has_keys) return false;
  if ((chord & (ImGuiMod_Ctrl | ImGuiMod_Alt)) != 0) return false;
  const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
  return std::ranges::find(kOfFocus, key) != std::end(kOfFocus);
}

std::vector<Command> keyboard_commands() {
  return {{.id = "view.next_panel",
           .title = "Next panel",
           .shortcut = "F6",
           .menu = "View",
           .run = [](AppContext&) { panels_to_go = 1; },
           .also = "focus keyboard tab window"},
          {.id = "view.previous_panel",
           .title = "Previous panel",
           .shortcut = "Shift+F6",
           .menu = "View",
           .run = [](AppContext&) { panels_to_go = -1; },
           .also = "focus keyboard tab window"}};
}

}  // namespace tilescope
