#include "app/shell/command_palette.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace tilescope {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::vector<const Command*> matches(const ShellState& shell) {
  std::vector<std::pair<int, const Command*>> scored;
  for (const Command& command : shell.commands.all()) {
    const int score = match_score(shell.palette_filter, command.title);
    if (score > 0) scored.push_back({score, &command});
  }
  std::ranges::stable_sort(scored, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const Command*> found;
  for (const auto& [score, command] : scored) found.push_back(command);
  return found;
}

void place_popup(float width, float height, float scale) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImVec2 size{std::min(width * scale, viewport->Size.x - 16 * scale),
                    std::min(height * scale, viewport->Size.y - 64 * scale)};
  ImGui::SetNextWindowPos({viewport->GetCenter().x, viewport->Pos.y + 28 * scale}, ImGuiCond_Always,
                          {0.5f, 0});
  ImGui::SetNextWindowSize(size);
}

/// ImGui does so by itself only while keyboard navigation is on, which would take the arrow keys.
void close_on_escape() {
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
}

void draw_shortcut_text(const Command& command, const Theme& theme) {
  if (command.shortcut.empty()) return;
  const float width = ImGui::CalcTextSize(command.shortcut.c_str()).x;
  ImGui::SameLine(ImGui::GetContentRegionMax().x - width);
  ImGui::TextColored(to_vec4(theme.dim), "%s", command.shortcut.c_str());
}

void draw_palette(ShellState& shell) {
  AppContext& context = shell.context;
  place_popup(520, 360, context.scale);
  if (!ImGui::BeginPopup("Any command", ImGuiWindowFlags_NoMove)) return;
  close_on_escape();
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputTextWithHint("##filter", "Any command", &shell.palette_filter)) {
    shell.palette_row = 0;
  }
  const std::vector<const Command*> found = matches(shell);
  const int last = static_cast<int>(found.size()) - 1;
  const int before = shell.palette_row;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++shell.palette_row;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --shell.palette_row;
  shell.palette_row = std::clamp(shell.palette_row, 0, std::max(last, 0));
  const bool moved = before != shell.palette_row;
  const bool enter =
      ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter);

  const Command* chosen = nullptr;
  ImGui::BeginChild("##found");
  for (int row = 0; row <= last; ++row) {
    const Command& command = *found[static_cast<size_t>(row)];
    const bool enabled = !command.enabled || command.enabled(context);
    ImGui::BeginDisabled(!enabled);
    ImGui::PushID(command.id.c_str());
    const bool current = row == shell.palette_row;
    ImGui::SetNextItemAllowOverlap();
    if (ImGui::Selectable(command.title.c_str(), current)) chosen = &command;
    if (current && moved) ImGui::SetScrollHereY();
    if (current && enter && enabled) chosen = &command;
    draw_shortcut_text(command, *context.theme);
    ImGui::PopID();
    ImGui::EndDisabled();
  }
  if (found.empty()) ImGui::TextDisabled("No command matches; Esc closes this list.");
  ImGui::EndChild();
  if (chosen) {
    context.commands.request(chosen->id);
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void draw_shortcut_list(ShellState& shell) {
  AppContext& context = shell.context;
  place_popup(520, 560, context.scale);
  if (!ImGui::BeginPopup("Shortcuts", ImGuiWindowFlags_NoMove)) return;
  close_on_escape();
  ImGui::PushFont(context.fonts.bold, 0.f);
  ImGui::TextUnformatted("Shortcuts");
  ImGui::PopFont();
  if (ImGui::BeginTable("##keys", 2, ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit)) {
    ImGui::TableSetupColumn("keys");
    ImGui::TableSetupColumn("command", ImGuiTableColumnFlags_WidthStretch);
    for (const ShortcutRow& row : shortcut_rows(shell.commands)) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      if (row.heading) {
        ImGui::PushFont(context.fonts.bold, Fonts::kText);
        ImGui::TextUnformatted(row.keys.c_str());
        ImGui::PopFont();
        continue;
      }
      ImGui::PushFont(context.fonts.mono, Fonts::kLabel);
      ImGui::TextColored(to_vec4(context.theme->accent), "%s  ", row.keys.c_str());
      ImGui::PopFont();
      ImGui::TableNextColumn();
      ImGui::TextWrapped("%s", row.effect.c_str());
    }
    ImGui::EndTable();
  }
  ImGui::EndPopup();
}

}  // namespace

std::vector<ShortcutRow> shortcut_rows(const CommandTable& commands) {
  std::vector<ShortcutRow> rows;
  for (const Command& command : commands.all()) {
    if (!command.shortcut.empty()) rows.push_back({command.shortcut, command.title});
  }
  for (const Panel* panel : all_panels()) {
    if (panel->gestures.empty()) continue;
    rows.push_back({std::string("Mouse: ") + panel->title, "", true});
    for (const Gesture& gesture : panel->gestures) rows.push_back({gesture.hand, gesture.effect});
  }
  return rows;
}

int match_score(const std::string& filter, const std::string& text) {
  if (filter.empty()) return 1;
  std::string small_filter = filter, small_text = text;
  std::ranges::transform(small_filter, small_filter.begin(), lower);
  std::ranges::transform(small_text, small_text.begin(), lower);
  if (const size_t at = small_text.find(small_filter); at != std::string::npos) {
    const bool word = at == 0 || !std::isalnum(static_cast<unsigned char>(small_text[at - 1]));
    return word ? 1000 : 500;
  }
  size_t next = 0;
  int jumps = 0;
  bool adjacent = true;
  for (const char c : small_text) {
    if (next < small_filter.size() && c == small_filter[next]) {
      if (!adjacent) ++jumps;
      adjacent = true;
      ++next;
    } else {
      adjacent = false;
    }
  }
  return next == small_filter.size() ? std::max(100 - jumps, 1) : 0;
}

void draw_popups(ShellState& shell) {
  if (std::exchange(shell.want_palette, false)) {
    shell.palette_filter.clear();
    shell.palette_row = 0;
    ImGui::OpenPopup("Any command");
  }
  if (std::exchange(shell.want_shortcuts, false)) ImGui::OpenPopup("Shortcuts");
  draw_palette(shell);
  draw_shortcut_list(shell);
}

}  // namespace tilescope
