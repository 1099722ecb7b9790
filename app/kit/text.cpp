// Headings, badges, shortened text, tooltips, empty and error states.
#include <algorithm>

#include "app/common/glossary.h"
#include "app/kit/widgets.h"
#include "core/language/language.h"
#include "core/language/retold.h"

namespace tilescope::widgets {

ImVec4 tone_color(const AppContext& context, Tone tone) {
  const Theme& t = *context.theme;
  switch (tone) {
    case Tone::dim:
      return to_vec4(t.dim);
    case Tone::ok:
      return to_vec4(t.ok);
    case Tone::warning:
      return to_vec4(t.warning);
    case Tone::accent:
      return to_vec4(t.accent);
    case Tone::plain:
      break;
  }
  return to_vec4(t.text);
}

std::string elide(std::string_view text, float width) {
  const auto size = [](std::string_view s) {
    return ImGui::CalcTextSize(s.data(), s.data() + s.size()).x;
  };
  if (size(text) <= width) return std::string(text);
  const float dots = ImGui::CalcTextSize("…").x;
  size_t low = 0, high = text.size();
  while (low < high) {
    const size_t middle = (low + high + 1) / 2;
    if (size(text.substr(0, middle)) + dots <= width) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  while (low > 0 && (static_cast<unsigned char>(text[low]) & 0xC0) == 0x80) --low;  // whole UTF-8
  while (low > 0 && text[low - 1] == ' ') --low;
  return std::string(text.substr(0, low)) + "…";
}

void tooltip(const AppContext& context, std::string_view text) {
  // A hand that drags wants to see what changes.
  if (text.empty() || context.rendering || ImGui::IsAnyMouseDown() ||
      !ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal | ImGuiHoveredFlags_AllowWhenDisabled)) {
    return;
  }
  if (ImGui::BeginTooltip()) {
    std::string room;
    const std::string_view said = retold(text, room);
    ImGui::PushTextWrapPos(320 * context.scale);
    ImGui::TextUnformatted(said.data(), said.data() + said.size());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
}

void elided(const AppContext& context, std::string_view text, Tone tone, float width) {
  const float room = width > 0 ? width : ImGui::GetContentRegionAvail().x;
  std::string other;
  const std::string_view said = retold(text, other);
  const std::string shown = elide(said, std::max(room, 1.0f));
  ImGui::PushStyleColor(ImGuiCol_Text, tone_color(context, tone));
  ImGui::TextUnformatted(shown.c_str());
  ImGui::PopStyleColor();
  if (shown.size() != said.size()) tooltip(context, said);
  explain_hovered(context, text);
}

void explain_hovered(const AppContext& context, std::string_view label) {
  // A look-up only where the pointer rests.
  if (!context.rendering && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) {
    tooltip(context, explain(label));
  }
}

void note_line(const AppContext& context, std::span<const std::string> texts, Tone tone) {
  if (texts.empty()) return ImGui::TextUnformatted("");
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string* shown = &texts.back();
  for (const std::string& text : texts) {
    std::string other;
    const std::string_view said = retold(text, other);
    if (ImGui::CalcTextSize(said.data(), said.data() + said.size()).x > room) continue;
    shown = &text;
    break;
  }
  elided(context, *shown, tone);
  if (shown != &texts.front()) tooltip(context, texts.front());
}

void heading(const AppContext& context, const char* title, std::string_view right) {
  const float line = ImGui::GetCursorScreenPos().y;
  const float x = ImGui::GetCursorScreenPos().x, width = ImGui::GetContentRegionAvail().x;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->dim));
  ImGui::TextUnformatted(tr(title));
  const float from = ImGui::GetItemRectMax().x + 6 * context.scale;
  explain_hovered(context, title);
  const float middle = line + ImGui::GetTextLineHeight() / 2;
  float to = x + width;
  if (!right.empty()) {
    const std::string shown =
        elide(translated(right), std::max(1.0f, x + width - from - 10 * context.scale));
    const float text_width = ImGui::CalcTextSize(shown.c_str()).x;
    to -= text_width + 6 * context.scale;
    ImGui::SameLine(0, 0);
    ImGui::SetCursorScreenPos({x + width - text_width, line});
    ImGui::TextUnformatted(shown.c_str());
  }
  ImGui::PopStyleColor();
  ImGui::PopFont();
  if (to > from) {
    ImGui::GetWindowDrawList()->AddLine({from, middle}, {to, middle},
                                        to_imgui(context.theme->border));
  }
}

void badge(const AppContext& context, std::string_view text, Tone tone, const char* tip) {
  const float pad = 5 * context.scale;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  const std::string shown =
      elide(translated(text), std::max(8.0f, ImGui::GetContentRegionAvail().x - 2 * pad));
  const ImVec2 size = ImGui::CalcTextSize(shown.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end = {at.x + size.x + 2 * pad, at.y + size.y + 4 * context.scale};
  ImVec4 color = tone_color(context, tone);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  ImVec4 ground = color;
  ground.w = 0.14f;
  draw->AddRectFilled(at, end, ImGui::ColorConvertFloat4ToU32(ground), 3 * context.scale);
  draw->AddRect(at, end, ImGui::ColorConvertFloat4ToU32(color), 3 * context.scale);
  draw->AddText({at.x + pad, at.y + 2 * context.scale}, ImGui::ColorConvertFloat4ToU32(color),
                shown.c_str());
  ImGui::PopFont();
  ImGui::Dummy({end.x - at.x, end.y - at.y});
  if (tip) tooltip(context, tip);
}

bool empty_panel(const AppContext& context, const char* title, std::string_view why,
                 const char* button, const char* second_button, bool* second_pressed) {
  title = tr(title);
  std::string other;
  why = retold(why, other);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float wrap = std::min(room.x - 16 * context.scale, 420 * context.scale);
  const ImVec2 text = ImGui::CalcTextSize(why.data(), why.data() + why.size(), false, wrap);
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float height = line + text.y + (button ? ImGui::GetFrameHeight() + 8 * context.scale : 0);
  const float left = ImGui::GetCursorPosX();
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::max(4.0f, (room.y - height) / 2));
  const auto centre = [&](float width) {
    ImGui::SetCursorPosX(left + std::max(0.0f, (room.x - width) / 2));
  };
  ImGui::PushFont(context.fonts.bold, Fonts::kText);
  centre(ImGui::CalcTextSize(title).x);
  ImGui::TextUnformatted(title);
  ImGui::PopFont();
  centre(text.x);
  ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->dim));
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + wrap);
  ImGui::TextUnformatted(why.data(), why.data() + why.size());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  if (!button) return false;
  const float pad = 2 * ImGui::GetStyle().FramePadding.x, gap = 8 * context.scale;
  const float first = ImGui::CalcTextSize(tr(button), nullptr, true).x + pad;
  const float second = second_button ? ImGui::CalcTextSize(tr(second_button)).x + pad : 0;
  // Side by side, or where one would be cut one below the other.
  const bool beside = second_button && first + gap + second <= room.x;
  centre(beside ? first + gap + second : first);
  const bool pressed = ImGui::Button(tr_id(button));
  if (second_button) {
    if (beside) {
      ImGui::SameLine(0, gap);
    } else {
      centre(second);
    }
    if (ImGui::Button(tr_id(second_button)) && second_pressed) *second_pressed = true;
  }
  return pressed;
}

void error_box(const AppContext& context, const char* id, std::string_view sentence,
               std::string_view details) {
  std::string other;
  sentence = retold(sentence, other);
  ImGui::PushID(id);
  const Color ground = mix(context.theme->panel, context.theme->warning, 14);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_vec4(ground));
  ImGui::PushStyleColor(ImGuiCol_Border, to_vec4(context.theme->warning));
  if (ImGui::BeginChild("##error", {0, 0},
                        ImGuiChildFlags_Borders | ImGuiChildFlags_AutoResizeY |
                            ImGuiChildFlags_AlwaysUseWindowPadding)) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(sentence.data(), sentence.data() + sentence.size());
    static ImGuiID open = 0;  // one error's details at a time
    const ImGuiID me = ImGui::GetID("details");
    if (!details.empty()) {
      if (ImGui::SmallButton(tr_id(open == me ? "Hide details" : "Details")))
        open = open == me ? 0 : me;
      ImGui::SameLine();
    }
    if (ImGui::SmallButton(tr_id("Copy"))) {
      ImGui::SetClipboardText((std::string(sentence) + "\n" + std::string(details)).c_str());
    }
    if (open == me && !details.empty()) {
      ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
      ImGui::TextUnformatted(details.data(), details.data() + details.size());
      ImGui::PopFont();
    }
    ImGui::PopTextWrapPos();
  }
  ImGui::EndChild();
  ImGui::PopStyleColor(2);
  ImGui::PopID();
}

}  // namespace tilescope::widgets
