#include "app/shell/shortcut.h"

#include <imgui_internal.h>

#include <cstring>
#include <map>

#include "app/shell/keyboard_mode.h"

namespace tilescope {
namespace {

ImGuiKey key_of(const std::string& name) {
  static const std::map<std::string, ImGuiKey> kShort = {
      {"Left", ImGuiKey_LeftArrow}, {"Right", ImGuiKey_RightArrow}, {"Up", ImGuiKey_UpArrow},
      {"Down", ImGuiKey_DownArrow}, {"Esc", ImGuiKey_Escape},       {"Del", ImGuiKey_Delete},
      {",", ImGuiKey_Comma},        {".", ImGuiKey_Period},         {"/", ImGuiKey_Slash},
      {"=", ImGuiKey_Equal},        {"-", ImGuiKey_Minus},          {"[", ImGuiKey_LeftBracket},
      {"]", ImGuiKey_RightBracket}};
  if (const auto found = kShort.find(name); found != kShort.end()) return found->second;
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
    if (name == ImGui::GetKeyName(static_cast<ImGuiKey>(key))) return static_cast<ImGuiKey>(key);
  }
  return ImGuiKey_None;
}

}  // namespace

ImGuiKeyChord parse_shortcut(const std::string& text) {
  ImGuiKeyChord chord = ImGuiKey_None;
  size_t begin = 0;
  for (size_t plus; (plus = text.find('+', begin)) != std::string::npos; begin = plus + 1) {
    const std::string modifier = text.substr(begin, plus - begin);
    if (modifier == "Ctrl") chord |= ImGuiMod_Ctrl;
    if (modifier == "Shift") chord |= ImGuiMod_Shift;
    if (modifier == "Alt") chord |= ImGuiMod_Alt;
  }
  const ImGuiKey key = key_of(text.substr(begin));
  return key == ImGuiKey_None ? ImGuiKey_None : (chord | key);
}

void handle_shortcuts(CommandTable& commands) {
  // An open menu, combo or list has the keyboard to itself; Escape closes the topmost.
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) {
    // By keyboard ImGui does it itself.
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) && !keyboard_mode()) {
      ImGui::ClosePopupToLevel(ImGui::GetCurrentContext()->OpenPopupStack.Size - 1, true);
    }
    return;
  }
  const bool typing = ImGui::GetIO().WantTextInput;
  static std::map<std::string, ImGuiKeyChord> parsed;  // by text: commands come and go, few texts
  for (const Command& command : commands.all()) {
    if (command.shortcut.empty()) continue;
    auto [entry, is_new] = parsed.try_emplace(command.shortcut, ImGuiKey_None);
    if (is_new) entry->second = parse_shortcut(command.shortcut);
    if (entry->second == ImGuiKey_None) continue;
    if (is_for_focus(entry->second)) continue;
    const bool plain = (entry->second & (ImGuiMod_Ctrl | ImGuiMod_Alt)) == 0;
    const ImGuiKey key = static_cast<ImGuiKey>(entry->second & ~ImGuiMod_Mask_);
    const bool function = key >= ImGuiKey_F1 && key <= ImGuiKey_F24;  // no text has it
    if (plain && typing && !function) continue;
    const bool arrow = key >= ImGuiKey_LeftArrow && key <= ImGuiKey_DownArrow;
    // Keys that go by one of something go on while they are held.
    const bool walks = arrow || key == ImGuiKey_F10 || key == ImGuiKey_F11;
    const ImGuiInputFlags flags =
        ImGuiInputFlags_RouteGlobal | (walks ? ImGuiInputFlags_Repeat : 0);
    if (ImGui::Shortcut(entry->second, flags)) commands.request(command.id);
  }
}

}  // namespace tilescope
