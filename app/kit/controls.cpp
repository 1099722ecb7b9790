// Segmented buttons, budget bars.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/kit/item_keys.h"
#include "app/kit/widgets.h"
#include "core/language/language.h"
#include "core/language/retold.h"

namespace tilescope::widgets {
namespace {

/// The next choice in a direction that may be made, or the present one.
int beside(size_t count, int chosen, int by, unsigned enabled_mask) {
  const int way = by > 0 ? 1 : -1, last = static_cast<int>(count) - 1;
  for (int i = chosen + by; i >= 0 && i <= last; i += way) {
    if (enabled_mask >> i & 1) return i;
  }
  return chosen;
}

}  // namespace

float segmented_width(const AppContext& context, std::span<const char* const> labels) {
  float width = 0;
  for (const char* label : labels) width += ImGui::CalcTextSize(tr(label)).x + 16 * context.scale;
  return width;
}

bool segmented(const AppContext& context, const char* id, std::span<const char* const> labels,
               int* chosen, float width, unsigned enabled_mask, std::string_view why_not) {
  const Theme& theme = *context.theme;
  const float s = context.scale, pad = 8 * s;
  const float natural = segmented_width(context, labels);
  // Where there is no room for all of them, they share it.
  const float avail = ImGui::GetContentRegionAvail().x;
  if (width <= 0 && natural > avail && avail > 40 * s) width = avail;
  const float total = width > 0 ? width : natural;
  const float height = std::max(20 * s, ImGui::GetTextLineHeight() + 4 * s);
  bool changed = false;
  int to = -1;  // where the arrow keys go
  ImGui::PushID(id);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, ImGui::GetStyle().ItemSpacing.y});
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i) ImGui::SameLine(0, 0);
    const float w = width > 0 ? std::floor(total / static_cast<float>(labels.size()))
                              : ImGui::CalcTextSize(tr(labels[i])).x + 2 * pad;
    const bool enabled = (enabled_mask >> i & 1) != 0, on = *chosen == static_cast<int>(i);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::BeginDisabled(!enabled);
    // The Tab key stops at the chosen one.
    ImGui::PushItemFlag(ImGuiItemFlags_Inputable, on);
    ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop, !on);
    if (ImGui::InvisibleButton(labels[i], {w, height}, ImGuiButtonFlags_EnableNav) && !on) {
      *chosen = static_cast<int>(i);
      changed = true;
    }
    ImGui::PopItemFlag();
    ImGui::PopItemFlag();
    ImGui::EndDisabled();
    const bool focused = has_keys();
    if (const int by = item_keys().step; by != 0)
      to = beside(labels.size(), *chosen, by, enabled_mask);
    if (!enabled && !why_not.empty() && !context.rendering &&
        ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled | ImGuiHoveredFlags_DelayShort)) {
      ImGui::SetTooltip("%s", retold(why_not).c_str());
    }
    ImDrawList* draw = ImGui::GetWindowDrawList();
    const ImVec2 end = {at.x + w, at.y + height};
    draw->AddRectFilled(at, end, to_imgui(on ? theme.accent_ground : theme.frame), 3 * s);
    draw->AddRect(at, end,
                  to_imgui(on || (enabled && ImGui::IsItemHovered()) ? theme.accent : theme.border),
                  3 * s);
    if (focused) {
      draw->AddRect({at.x + 2 * s, at.y + 2 * s}, {end.x - 2 * s, end.y - 2 * s},
                    to_imgui(theme.accent), 2 * s);
    }
    const char* const label = tr(labels[i]);
    const std::string shown = elide(label, w - 4 * s);
    if (shown != label) tooltip(context, label);
    const float text = ImGui::CalcTextSize(shown.c_str()).x;
    Color ink = enabled ? theme.text : mix(theme.panel, theme.dim, 55);
    draw->AddText({at.x + (w - text) / 2, at.y + (height - ImGui::GetTextLineHeight()) / 2},
                  to_imgui(ink), shown.c_str());
  }
  if (to >= 0 && to != *chosen) {
    *chosen = to;
    changed = true;
    give_keys(ImGui::GetID(labels[static_cast<size_t>(to)]));
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
  const char* const label = tr(m.label);
  const std::string value =
      elide(translated(m.value), std::max(10.0f, width - label_width - 8 * s));
  const float value_width = ImGui::CalcTextSize(value.c_str()).x;
  draw->AddText({at.x + width - value_width, at.y + 1 * s}, m.warning ? ink : to_imgui(theme.dim),
                value.c_str());
  ImGui::PopFont();
  draw->AddText(at, to_imgui(theme.text), label);
  ImVec2 from = {at.x, at.y + line + 2 * s}, to = {at.x + width, at.y + line + 2 * s + bar};
  if (one_line) {
    const float x = at.x + std::max(label_width, ImGui::CalcTextSize(label).x + 8 * s);
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
    if (m.hatched > 0) {
      const float x = from.x + (to.x - from.x) * std::clamp(m.fraction, 0.0f, 1.0f);
      const float end = std::min(to.x, x + (to.x - from.x) * m.hatched);
      draw->PushClipRect({x, from.y}, {end, to.y}, true);
      for (float at = x - bar; at < end; at += 4 * s) {
        draw->AddLine({at, to.y}, {at + bar, from.y}, to_imgui(theme.accent), s);
      }
      draw->PopClipRect();
    }
    if (m.warning && m.fraction > 1) {  // over the limit is hatched as well as red
      draw->PushClipRect(from, to, true);
      for (float x = from.x - bar; x < to.x; x += 5 * s) {
        draw->AddLine({x, to.y}, {x + bar, from.y}, to_imgui(theme.panel), 1.5f * s);
      }
      draw->PopClipRect();
    }
  }
  if (value != translated(m.value)) tooltip(context, wording("{}: {}", label, m.value));
  if (m.tooltip) tooltip(context, m.tooltip);
}

}  // namespace tilescope::widgets
