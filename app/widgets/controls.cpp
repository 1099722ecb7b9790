// Sliders over lists of values, segmented buttons, budget bars.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/widgets/widgets.h"

namespace tilescope::widgets {
namespace {

int g_last_slider = 0;

/// Place of a value among the offered ones; a value between two stands between their ticks.
float position_of(std::span<const int> values, int value) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == value) return static_cast<float>(i);
    if (values[i] > value) return i == 0 ? 0.0f : static_cast<float>(i) - 0.5f;
  }
  return static_cast<float>(values.size()) - 1;
}

}  // namespace

int last_slider_id() { return g_last_slider; }

bool value_slider(const AppContext& context, const char* id, const char* label,
                  std::span<const int> values, int* value, bool illegal, const char* tip) {
  const Theme& theme = *context.theme;
  const float s = context.scale;
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = std::max(20 * s, ImGui::GetTextLineHeight() + 4 * s);
  const float label_width = std::min(62 * s, width * 0.32f);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(id, {width, height}, ImGuiButtonFlags_EnableNav);
  const ImGuiID item = ImGui::GetItemID();
  g_last_slider = static_cast<int>(item);
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();

  const ImVec2 box_min = {at.x + label_width, at.y}, box_max = {at.x + width, at.y + height};
  const float value_width = 38 * s;
  const float left = box_min.x + 9 * s, right = std::max(left + 1, box_max.x - value_width - 6 * s);
  const float last = static_cast<float>(std::max<size_t>(1, values.size() - 1));
  const auto x_of = [&](float position) { return left + (right - left) * position / last; };

  int index = -1;
  const float mouse = ImGui::GetIO().MousePos.x;
  if (active && !values.empty() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const float where = std::clamp((mouse - left) / (right - left), 0.0f, 1.0f) * last;
    index = static_cast<int>(std::lround(where));
  }
  const bool focused = ImGui::IsItemFocused();
  int by = 0;
  if (focused && !active) {
    by = (ImGui::IsKeyPressed(ImGuiKey_RightArrow) ? 1 : 0) -
         (ImGui::IsKeyPressed(ImGuiKey_LeftArrow) ? 1 : 0);
  }
  if (hovered && ImGui::GetIO().KeyCtrl && ImGui::GetIO().MouseWheel != 0) {
    by = ImGui::GetIO().MouseWheel > 0 ? 1 : -1;
  }
  if (by != 0) {
    const float now = position_of(values, *value);
    index = std::clamp(static_cast<int>(by > 0 ? std::floor(now) + 1 : std::ceil(now) - 1), 0,
                       static_cast<int>(values.size()) - 1);
  }
  bool moved = false;
  if (index >= 0 && values[static_cast<size_t>(index)] != *value) {
    *value = values[static_cast<size_t>(index)];
    moved = true;
  }

  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 accent = to_imgui(illegal ? theme.warning : theme.accent);
  const float text_y = at.y + (height - ImGui::GetTextLineHeight()) / 2;
  const std::string shown = elide(label, label_width - 4 * s);
  draw->AddText({at.x, text_y}, illegal ? accent : to_imgui(theme.text), shown.c_str());
  draw->AddRectFilled(box_min, box_max, to_imgui(theme.frame), 3 * s);
  draw->AddRect(
      box_min, box_max,
      illegal ? accent : to_imgui(hovered || active || focused ? theme.accent : theme.border),
      3 * s);
  const float middle = at.y + height / 2, knob = x_of(position_of(values, *value));
  draw->AddLine({left, middle}, {right, middle}, to_imgui(theme.dim), 1);
  draw->AddLine({left, middle}, {knob, middle}, accent, 2 * s);
  for (size_t i = 0; i < values.size(); ++i) {
    const float x = x_of(static_cast<float>(i));
    draw->AddLine({x, middle - 3 * s}, {x, middle + 4 * s},
                  x <= knob ? accent : to_imgui(theme.dim));
  }
  draw->AddRectFilled({knob - 3 * s, middle - 6 * s}, {knob + 3 * s, middle + 6 * s}, accent,
                      2 * s);
  char number[16];
  std::snprintf(number, sizeof(number), "%d", *value);
  ImGui::PushFont(context.fonts.mono, Fonts::kLabel);
  const float number_width = ImGui::CalcTextSize(number).x;
  draw->AddText(
      {box_max.x - 6 * s - number_width, at.y + (height - ImGui::GetTextLineHeight()) / 2},
      illegal ? accent : to_imgui(theme.text), number);
  ImGui::PopFont();
  if (!active) tooltip(context, tip ? tip : "");
  return moved;
}

bool segmented(const AppContext& context, const char* id, std::span<const char* const> labels,
               int* chosen, float width, unsigned enabled_mask, std::string_view why_not) {
  const Theme& theme = *context.theme;
  const float s = context.scale, pad = 8 * s;
  float natural = 0;
  for (const char* label : labels) natural += ImGui::CalcTextSize(label).x + 2 * pad;
  const float total = width > 0 ? width : natural;
  const float height = std::max(20 * s, ImGui::GetTextLineHeight() + 4 * s);
  bool changed = false;
  ImGui::PushID(id);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, ImGui::GetStyle().ItemSpacing.y});
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i) ImGui::SameLine(0, 0);
    const float w = width > 0 ? std::floor(total / static_cast<float>(labels.size()))
                              : ImGui::CalcTextSize(labels[i]).x + 2 * pad;
    const bool enabled = (enabled_mask >> i & 1) != 0, on = *chosen == static_cast<int>(i);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::BeginDisabled(!enabled);
    if (ImGui::InvisibleButton(labels[i], {w, height}, ImGuiButtonFlags_EnableNav) && !on) {
      *chosen = static_cast<int>(i);
      changed = true;
    }
    ImGui::EndDisabled();
    if (!enabled && !why_not.empty() && !context.rendering &&
        ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled | ImGuiHoveredFlags_DelayShort)) {
      ImGui::SetTooltip("%.*s", static_cast<int>(why_not.size()), why_not.data());
    }
    ImDrawList* draw = ImGui::GetWindowDrawList();
    const ImVec2 end = {at.x + w, at.y + height};
    draw->AddRectFilled(at, end, to_imgui(on ? theme.accent_ground : theme.frame), 3 * s);
    draw->AddRect(at, end,
                  to_imgui(on || (enabled && ImGui::IsItemHovered()) ? theme.accent : theme.border),
                  3 * s);
    const std::string shown = elide(labels[i], w - 4 * s);
    const float text = ImGui::CalcTextSize(shown.c_str()).x;
    Color ink = enabled ? theme.text : mix(theme.panel, theme.dim, 55);
    draw->AddText({at.x + (w - text) / 2, at.y + (height - ImGui::GetTextLineHeight()) / 2},
                  to_imgui(ink), shown.c_str());
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return changed;
}

void meter(const AppContext& context, const Meter& m, bool one_line) {
  const Theme& theme = *context.theme;
  const float s = context.scale, width = ImGui::GetContentRegionAvail().x;
  const float line = ImGui::GetTextLineHeight(), bar = 5 * s;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = one_line ? line + 2 * s : line + bar + 6 * s;
  ImGui::Dummy({width, height});
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 ink = to_imgui(m.warning ? theme.warning : theme.text);
  ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
  const float label_width = 58 * s;
  const std::string value =
      elide(m.value, std::max(10.0f, width - label_width - (one_line ? 40 * s : 0)));
  const float value_width = ImGui::CalcTextSize(value.c_str()).x;
  draw->AddText({at.x + width - value_width, at.y + 1 * s}, m.warning ? ink : to_imgui(theme.dim),
                value.c_str());
  ImGui::PopFont();
  draw->AddText(at, to_imgui(theme.text), m.label);
  ImVec2 from = {at.x, at.y + line + 2 * s}, to = {at.x + width, at.y + line + 2 * s + bar};
  if (one_line) {
    const float x = at.x + std::max(label_width, ImGui::CalcTextSize(m.label).x + 8 * s);
    from = {x, at.y + (line - bar) / 2};
    to = {std::max(x, at.x + width - value_width - 8 * s), at.y + (line + bar) / 2};
  }
  const int cells = std::max(1, m.cells);
  const float gap = cells > 1 ? 2 * s : 0;
  const float cell =
      (to.x - from.x - gap * static_cast<float>(cells - 1)) / static_cast<float>(cells);
  const float full = std::clamp(m.fraction, 0.0f, 1.0f) * static_cast<float>(cells);
  if (cell >= 2) {
    for (int i = 0; i < cells; ++i) {
      const float x = from.x + static_cast<float>(i) * (cell + gap);
      const float part = std::clamp(full - static_cast<float>(i), 0.0f, 1.0f);
      draw->AddRectFilled({x, from.y}, {x + cell, to.y}, to_imgui(theme.frame), 2 * s);
      if (part > 0) {
        draw->AddRectFilled({x, from.y}, {x + cell * part, to.y},
                            to_imgui(m.warning ? theme.warning : theme.accent), 2 * s);
      }
    }
    if (m.warning && m.fraction > 1) {  // over the limit is hatched as well as red
      draw->PushClipRect(from, to, true);
      for (float x = from.x - bar; x < to.x; x += 5 * s) {
        draw->AddLine({x, to.y}, {x + bar, from.y}, to_imgui(theme.panel), 1.5f * s);
      }
      draw->PopClipRect();
    }
  }
  if (m.tooltip) tooltip(context, m.tooltip);
}

}  // namespace tilescope::widgets
