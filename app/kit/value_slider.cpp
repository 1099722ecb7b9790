// Sliders over lists of values, and the same as a row of named choices.
#include <imgui_internal.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "app/kit/item_keys.h"
#include "app/kit/widgets.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

int g_last_slider = 0;
SliderTicks g_last_ticks;

/// The number being typed: at most one slider's at a time.
struct Typed {
  ImGuiID item = 0;
  char text[16] = "";
};
Typed g_typed;

/// Wheel steps that are not whole yet, as touch pads give them.
struct WheelRest {
  ImGuiID item = 0;
  float steps = 0;
};
WheelRest g_wheel;

/// Place of a value among the offered ones; a value between two stands between their ticks.
float position_of(std::span<const int> values, int value) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == value) return static_cast<float>(i);
    if (values[i] > value) return i == 0 ? 0.0f : static_cast<float>(i) - 0.5f;
  }
  return static_cast<float>(values.size()) - 1;
}

int stepped(std::span<const int> values, int value, int by) {
  const float now = position_of(values, value);
  const float to =
      by > 0 ? std::floor(now) + static_cast<float>(by) : std::ceil(now) + static_cast<float>(by);
  const int last = static_cast<int>(values.size()) - 1;
  return values[static_cast<size_t>(std::clamp(static_cast<int>(to), 0, last))];
}

std::string list_of(std::span<const int> values) {
  std::string text;
  for (const int value : values) text += (text.empty() ? "" : ", ") + model::grouped(value);
  return text;
}

/// The wheel over an item. It is the item's once the pointer has rested on it until its tooltip
/// says so, or it has the focus, and never while a panel is being scrolled that carries it along.
int wheel_steps(bool hovered, bool focused) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiID item = ImGui::GetItemID();
  if (!hovered || g.WheelingWindow != nullptr) return 0;
  const bool had = ImGui::GetKeyOwner(ImGuiKey_MouseWheelY) == item;
  const bool fixed = ImGui::GetScrollMaxY() <= 0;  // nothing else could want the wheel
  constexpr ImGuiHoveredFlags kRests = ImGuiHoveredFlags_Stationary | ImGuiHoveredFlags_DelayNormal;
  if (!had && !fixed && !focused && !ImGui::IsItemHovered(kRests)) return 0;
  ImGui::SetKeyOwner(ImGuiKey_MouseWheelY, item);
  // What came before the item owned the wheel has scrolled the panel.
  const float wheel = g.IO.MouseWheel;
  if (wheel == 0 || (!had && !fixed)) return 0;
  if (g_wheel.item != item || g_wheel.steps * wheel < 0) g_wheel = {item, 0};
  g_wheel.steps += wheel;
  const float whole = std::trunc(g_wheel.steps);
  g_wheel.steps -= whole;
  return static_cast<int>(whole);
}

/// Takes over what was typed: the nearest offered value, and a sentence if it is another.
bool take_typed(const ValueSlider& slider, int* value, std::string* remark) {
  const char* end = g_typed.text + std::strlen(g_typed.text);
  int typed = 0;
  const auto parsed = std::from_chars(g_typed.text, end, typed);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    *remark = wording("{} takes {}.", slider.label, list_of(slider.values));
    return false;
  }
  const int nearest = *std::min_element(
      slider.values.begin(), slider.values.end(),
      [&](int a, int b) { return std::abs(1LL * a - typed) < std::abs(1LL * b - typed); });
  if (nearest != typed) {
    *remark = wording("{} {} is not offered; {} is the nearest of {}.", slider.label,
                      model::grouped(typed), model::grouped(nearest), list_of(slider.values));
  }
  const bool moved = nearest != *value;
  *value = nearest;
  return moved;
}

float label_room(const AppContext& context, float width) {
  return std::min(62 * context.scale, width * 0.32f);
}

/// The label at the left of a row; returns the width it takes.
float row_label(const AppContext& context, ImVec2 at, float width, float height, const char* label,
                bool illegal) {
  const float s = context.scale, room = label_room(context, width);
  const std::string shown = elide(tr(label), room - 4 * s);
  ImGui::GetWindowDrawList()->AddText(
      {at.x, at.y + (height - ImGui::GetTextLineHeight()) / 2},
      to_imgui(illegal ? context.theme->warning : context.theme->text), shown.c_str());
  return room;
}

float row_height(const AppContext& context) {
  return std::max(20 * context.scale, ImGui::GetTextLineHeight() + 4 * context.scale);
}

struct Track {
  ImVec2 box_min, box_max;
  float left = 0, right = 0, last = 1;
  float x(float position) const { return left + (right - left) * position / last; }
};

void draw_track(const AppContext& context, const Track& track, const ValueSlider& slider, int value,
                bool lit) {
  const Theme& theme = *context.theme;
  const float s = context.scale;
  const ImU32 accent = to_imgui(slider.illegal ? theme.warning : theme.accent);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(track.box_min, track.box_max, to_imgui(theme.frame), 3 * s);
  draw->AddRect(track.box_min, track.box_max,
                slider.illegal ? accent : to_imgui(lit ? theme.accent : theme.border), 3 * s);
  const float middle = (track.box_min.y + track.box_max.y) / 2;
  const float knob = track.x(position_of(slider.values, value));
  draw->AddLine({track.left, middle}, {track.right, middle}, to_imgui(theme.dim), 1);
  draw->AddLine({track.left, middle}, {knob, middle}, accent, 2 * s);
  for (size_t i = 0; i < slider.values.size(); ++i) {
    const float x = track.x(static_cast<float>(i));
    draw->AddLine({x, middle - 3 * s}, {x, middle + 4 * s},
                  x <= knob ? accent : to_imgui(theme.dim));
  }
  draw->AddRectFilled({knob - 3 * s, middle - 6 * s}, {knob + 3 * s, middle + 6 * s}, accent,
                      2 * s);
  char number[16];
  std::snprintf(number, sizeof(number), "%d", value);
  ImGui::PushFont(context.fonts.mono, Fonts::kLabel);
  draw->AddText({track.box_max.x - 6 * s - ImGui::CalcTextSize(number).x,
                 middle - ImGui::GetTextLineHeight() / 2},
                slider.illegal ? accent : to_imgui(theme.text), number);
  ImGui::PopFont();
}

}  // namespace

int last_slider_id() { return g_last_slider; }
SliderTicks last_slider_ticks() { return g_last_ticks; }

bool value_slider(const AppContext& context, const ValueSlider& slider, int* value,
                  std::string* remark) {
  const float s = context.scale, width = ImGui::GetContentRegionAvail().x;
  const float height = row_height(context);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImGuiID item = ImGui::GetID(slider.id);
  const ImRect all{at, {at.x + width, at.y + height}};
  g_last_slider = static_cast<int>(item);
  const float label_width = label_room(context, width);
  g_last_ticks.left = at.x + label_width + 9 * s;
  g_last_ticks.right = std::max(g_last_ticks.left + 1, all.Max.x - 44 * s);
  ImGui::ItemSize(all.GetSize());
  if (!ImGui::ItemAdd(all, item, nullptr, ImGuiItemFlags_Inputable) || slider.values.empty()) {
    return false;
  }
  bool moved = false;
  if (g_typed.item == item && !ImGui::TempInputIsActive(item)) {  // Enter, Tab or a click beside it
    moved = take_typed(slider, value, remark);
    g_typed.item = 0;
  }
  row_label(context, at, width, height, slider.label, slider.illegal);
  Track track{{at.x + label_width, at.y}, all.Max};
  track.left = g_last_ticks.left, track.right = g_last_ticks.right;
  track.last = static_cast<float>(std::max<size_t>(1, slider.values.size() - 1));

  ImGuiContext& g = *ImGui::GetCurrentContext();
  bool hovered = false, active = false;
  if (g_typed.item != item) ImGui::ButtonBehavior(all, item, &hovered, &active);
  const bool focused = has_keys();
  const bool asked = g.NavActivateId == item &&
                     (g.NavActivateFlags & ImGuiActivateFlags_PreferInput) &&
                     !(g.NavActivateFlags & ImGuiActivateFlags_FromTabbing);
  if (asked || (active && g.IO.KeyCtrl && ImGui::IsMouseClicked(ImGuiMouseButton_Left))) {
    g_typed.item = item;
    std::snprintf(g_typed.text, sizeof g_typed.text, "%d", *value);
  }
  if (g_typed.item == item) {
    ImGui::PushFont(context.fonts.mono, Fonts::kLabel);
    ImGui::TempInputText({track.box_min, track.box_max}, item, slider.id, g_typed.text,
                         sizeof g_typed.text, ImGuiInputTextFlags_CharsDecimal);
    ImGui::PopFont();
    return moved;
  }
  int to = *value;
  if (active && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const float part =
        std::clamp((g.IO.MousePos.x - track.left) / (track.right - track.left), 0.0f, 1.0f);
    to = slider.values[static_cast<size_t>(std::lround(part * track.last))];
  }
  const ItemKeys keys = item_keys();
  const int by = keys.step + wheel_steps(hovered, focused);
  if (by != 0) to = stepped(slider.values, to, by);
  if (keys.enter) {  // the next frame types
    g.NavNextActivateId = item;
    g.NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
  }
  moved = moved || to != *value;
  *value = to;
  draw_track(context, track, slider, *value, hovered || active || focused);
  if (!active) {
    tooltip(context, wording("{}: {}\nWheel or arrows step; Ctrl+click or Enter types a number.",
                             slider.label, slider.tooltip));
  }
  return moved;
}

bool choice_row(const AppContext& context, const ValueSlider& slider,
                std::span<const std::string> names, int* value) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float label =
      row_label(context, at, width, row_height(context), slider.label, slider.illegal);
  std::vector<const char*> labels;
  int chosen = -1;
  for (size_t i = 0; i < names.size(); ++i) {
    labels.push_back(names[i].c_str());
    if (slider.values[i] == *value) chosen = static_cast<int>(i);
  }
  ImGui::BeginGroup();
  ImGui::Dummy({label, row_height(context)});
  ImGui::SameLine(0, 0);
  const bool moved = segmented(context, slider.id, labels, &chosen, width - label);
  ImGui::EndGroup();
  tooltip(context, slider.tooltip);
  if (moved) *value = slider.values[static_cast<size_t>(chosen)];
  return moved;
}

}  // namespace tilescope::widgets
