#include "app/shell/command_palette.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/kit/widgets.h"
#include "app/shell/film_form.h"
#include "app/shell/named.h"
#include "app/shell/picture_form.h"
#include "app/shell/shell_commands.h"
#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/language/retold.h"

namespace tilescope {
namespace {

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

/// Of commands with ticks undo puts the ticks of their menu back as they were: a layout, a theme, a
/// panel that was shown.
void let_take_back(ShellState& shell, const Command& command) {
  if (!command.checked || !shell.context.state) return;
  std::vector<std::string> ticked;
  for (const Command& other : shell.commands.all()) {
    if (other.menu == command.menu && other.checked && other.checked(shell.context)) {
      ticked.push_back(other.id);
    }
  }
  can_take_back(*shell.context.state, [&shell, ticked, id = command.id](AppState& state) {
    for (const std::string& before : ticked) {
      const Command* other = shell.commands.find(before);
      if (!other || other->checked(shell.context)) continue;
      other->run(shell.context);  // one of several: with it the other one is off
      return;
    }
    const Command* now = shell.commands.find(id);
    if (now && std::ranges::find(ticked, id) == ticked.end() && now->checked(shell.context)) {
      return now->run(shell.context);
    }
    undo(state);  // it has changed nothing
  });
}

void do_answer(ShellState& shell, const Answer& answer) {
  AppState& state = *shell.context.state;
  answer.run(state);
  const Panel* panel = answer.panel.empty() ? nullptr : find_panel(answer.panel);
  if (!panel || is_shown(*panel)) return bring_to_front(panel);
  bring_to_front(panel);
  if (!state.take_back) return;
  can_take_back(state, [panel, back = state.take_back](AppState& then) {
    back(then);
    hide(*panel);
  });
}

void do_row(ShellState& shell, const PaletteRow& row) {
  use_row(&shell.settings.recent, row.answer.title);
  if (!row.command) return do_answer(shell, row.answer);
  let_take_back(shell, *row.command);
  shell.context.commands.request(row.command->id);
}

bool can_do(const PaletteRow& row, AppContext& context) {
  if (!row.command) return static_cast<bool>(row.answer.run);
  return !row.command->enabled || row.command->enabled(context);
}

std::string effect_of_row(const PaletteRow& row, AppContext& context) {
  if (!row.command) return retold(row.answer.effect);
  if (row.command->effect) return retold(row.command->effect(context));
  std::string where;
  for (size_t begin = 0; begin <= row.command->menu.size();) {
    const size_t end = std::min(row.command->menu.find('/', begin), row.command->menu.size());
    where += where.empty() ? "" : " ▸ ";
    where += translated(row.command->menu.substr(begin, end - begin));
    begin = end + 1;
  }
  const bool on = row.command->checked && row.command->checked(context);
  return where + (on ? wording(" · on") : "");
}

/// Title, what it would do, the keys: the first is whole, the second takes what is left.
void draw_row_texts(AppContext& context, const PaletteRow& row, const std::string& effect) {
  const Theme& theme = *context.theme;
  const float gap = 16 * context.scale;
  float end = ImGui::GetContentRegionMax().x;
  const std::string keys = row.command ? row.command->shortcut : "";
  if (!keys.empty()) {
    end -= ImGui::CalcTextSize(keys.c_str()).x;
    ImGui::SameLine(end);
    ImGui::TextColored(to_vec4(theme.dim), "%s", keys.c_str());
    end -= gap;
  }
  const float after = ImGui::CalcTextSize(said_title(row.answer.title).c_str()).x + gap;
  const float begin = std::max(after, ImGui::GetContentRegionMax().x * 0.42f);
  if (begin >= end || effect.empty()) return;
  ImGui::SameLine(begin);
  ImGui::TextColored(to_vec4(theme.dim), "%s", widgets::elide(effect, end - begin).c_str());
}

void make_rows(ShellState& shell) {
  constexpr size_t kMostLetters = 200;  // what is longer names nothing, and took long to look for
  Palette& palette = shell.palette;
  if (palette.typed.size() > kMostLetters) palette.typed.resize(kMostLetters);
  const uint64_t serial = shell.context.state ? shell.context.state->edit_serial : 1;
  if (palette.made_serial == serial && palette.made_for == palette.typed) return;
  palette.rows =
      palette_rows(shell.commands.all(), shell.context.state, shell.settings.recent, palette.typed);
  palette.made_serial = serial, palette.made_for = palette.typed;
}

void draw_palette(ShellState& shell) {
  AppContext& context = shell.context;
  Palette& palette = shell.palette;
  // As tall as its rows, the field above and the two lines below them.
  const float rows = static_cast<float>(std::clamp<size_t>(palette.rows.size(), 1, 17));
  place_popup(760, 104 + 18 * rows, context.scale);
  if (!ImGui::BeginPopup("Any command", ImGuiWindowFlags_NoMove)) return;
  close_on_escape();
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputTextWithHint(
          "##filter",
          tr("Any command, or: stages 4, M 2048, block 128x256, a rung, a preset, "
             "an instruction, a line of Source"),
          &palette.typed)) {
    palette.row = 0;
  }
  make_rows(shell);
  const int last = static_cast<int>(palette.rows.size()) - 1;
  const int before = palette.row;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++palette.row;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --palette.row;
  palette.row = std::clamp(palette.row, 0, std::max(last, 0));
  const bool moved = before != palette.row;
  const bool enter =
      ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter);

  const PaletteRow* chosen = nullptr;
  // The chosen row's effect stands whole below: a sentence has no room beside a title.
  const float foot = 2 * ImGui::GetTextLineHeight() + 3 * ImGui::GetStyle().ItemSpacing.y;
  ImGui::BeginChild("##found", {0, -foot});
  for (int i = 0; i <= last; ++i) {
    const PaletteRow& row = palette.rows[static_cast<size_t>(i)];
    const bool enabled = can_do(row, context);
    const bool current = i == palette.row;
    ImGui::BeginDisabled(!enabled);
    ImGui::PushID(row.command ? row.command->id.c_str() : row.answer.title.c_str());
    ImGui::SetNextItemAllowOverlap();
    if (ImGui::Selectable(title_id(row.answer.title).c_str(), current)) chosen = &row;
    if (current && moved) ImGui::SetScrollHereY();
    if (current && enter && enabled) chosen = &row;
    // Most rows of a long list are out of sight.
    if (ImGui::IsItemVisible()) draw_row_texts(context, row, effect_of_row(row, context));
    ImGui::PopID();
    ImGui::EndDisabled();
  }
  if (palette.rows.empty()) ImGui::TextDisabled("%s", tr("Nothing matches; Esc closes this list."));
  ImGui::EndChild();
  if (!palette.rows.empty()) {
    ImGui::Separator();
    const PaletteRow& row = palette.rows[static_cast<size_t>(palette.row)];
    const std::string effect = effect_of_row(row, context);
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(context.theme->text));
    ImGui::TextWrapped("%s", effect.c_str());
    ImGui::PopStyleColor();
  }
  if (chosen) {
    do_row(shell, *chosen);
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
  ImGui::TextUnformatted(tr("Shortcuts"));
  ImGui::PopFont();
  if (ImGui::BeginTable("##keys", 2, ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit)) {
    ImGui::TableSetupColumn(tr("keys"));
    ImGui::TableSetupColumn(tr("command"), ImGuiTableColumnFlags_WidthStretch);
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
      ImGui::TextColored(to_vec4(context.theme->accent), "%s  ", tr(row.keys.c_str()));
      ImGui::PopFont();
      ImGui::TableNextColumn();
      ImGui::TextWrapped("%s", said_title(row.effect).c_str());
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
    rows.push_back({wording("Mouse: {}", panel->title), "", true});
    for (const Gesture& gesture : panel->gestures) rows.push_back({gesture.hand, gesture.effect});
  }
  return rows;
}

void draw_popups(ShellState& shell) {
  if (std::exchange(shell.want_palette, false)) {
    shell.palette = {};
    ImGui::OpenPopup("Any command");
  }
  if (std::exchange(shell.want_shortcuts, false)) ImGui::OpenPopup("Shortcuts");
  draw_palette(shell);
  draw_shortcut_list(shell);
  draw_picture_form(shell);
  draw_film_form(shell);
  draw_named_form(shell);
}

}  // namespace tilescope
