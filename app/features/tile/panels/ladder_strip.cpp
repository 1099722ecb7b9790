#include "app/features/tile/panels/ladder_strip.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/kit/header_row.h"
#include "app/kit/item_keys.h"
#include "app/state/edit.h"
#include "app/state/rung_news.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

LadderText text_sizes(const std::vector<LadderGroup>& groups) {
  LadderText text;
  text.line = ImGui::GetTextLineHeight();
  for (const LadderGroup& group : groups) {
    text.caption = std::max(text.caption, ImGui::CalcTextSize(group.name.c_str()).x);
    for (const KernelEntry* kernel : group.kernels) {
      const std::string number = std::to_string(kernel->info.number);
      text.number = std::max(text.number, ImGui::CalcTextSize(number.c_str()).x);
    }
  }
  return text;
}

/// One box; true when it is clicked.
bool rung(const AppContext& context, const KernelEntry& kernel, ImVec2 at, ImVec2 size, bool on) {
  const Theme& theme = *context.theme;
  const float s = context.scale;
  const KernelInfo& info = kernel.info;
  ImGui::SetCursorScreenPos(at);
  // One stop of the Tab key for all of them.
  ImGui::PushItemFlag(ImGuiItemFlags_Inputable, on);
  ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop, !on);
  const bool pressed = ImGui::InvisibleButton(info.id, size, ImGuiButtonFlags_EnableNav);
  ImGui::PopItemFlag();
  ImGui::PopItemFlag();
  const bool lit = ImGui::IsItemHovered() || has_keys();
  const ImVec2 end = {at.x + size.x, at.y + size.y};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(at, end, to_imgui(on ? theme.accent : theme.frame), 2 * s);
  draw->AddRect(at, end, to_imgui(lit ? theme.accent : theme.border), 2 * s);
  if (on && lit) {  // the chosen one is as bright as the ring: it lies inside
    draw->AddRect({at.x + 1.5f * s, at.y + 1.5f * s}, {end.x - 1.5f * s, end.y - 1.5f * s},
                  to_imgui(theme.panel), 1 * s);
  }
  ImGui::PushFont(on ? context.fonts.bold : context.fonts.text, Fonts::kCaption);
  const std::string number = std::to_string(info.number);
  const ImVec2 text = ImGui::CalcTextSize(number.c_str());
  draw->AddText({at.x + (size.x - text.x) / 2, at.y + (size.y - text.y) / 2},
                to_imgui(on ? theme.panel : theme.text), number.c_str());
  ImGui::PopFont();
  tooltip(context,
          wording("{:02} {}: {}\n{}", info.number, std::string(info.id), info.title, info.idea));
  return pressed;
}

/// The kernel so many boxes on from the chosen one, in the strip's order.
const KernelEntry* neighbour(const LadderStrip& strip, const std::string& id, int by) {
  for (size_t i = 0; i < strip.boxes.size(); ++i) {
    if (strip.boxes[i].kernel->info.id != id) continue;
    const int to = static_cast<int>(i) + by;
    if (to < 0 || to >= static_cast<int>(strip.boxes.size())) return nullptr;
    return strip.boxes[static_cast<size_t>(to)].kernel;
  }
  return nullptr;
}

void strip_of_kernels(AppContext& context, AppState& state) {
  const std::vector<LadderGroup> groups = ladder_groups();
  ImGui::PushFont(context.fonts.bold, Fonts::kCaption);  // the wider of the two that are drawn
  const LadderText text = text_sizes(groups);
  ImGui::PopFont();
  const LadderStrip strip =
      place_ladder(groups, ImGui::GetContentRegionAvail().x, text, context.scale);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const KernelEntry *chosen = nullptr, *climbed = nullptr;
  ImGui::PushID("ladder");
  for (const LadderStrip::Box& box : strip.boxes) {
    const bool on = state.edit.rung().kernel == box.kernel->info.id;
    if (rung(context, *box.kernel, {origin.x + box.x, origin.y + box.y},
             {strip.box_width, strip.box_height}, on)) {
      chosen = box.kernel;
    }
    const ItemKeys keys = item_keys();
    if (keys.step == 0) continue;
    climbed = neighbour(strip, box.kernel->info.id, keys.step);
  }
  if (climbed) {  // only now: a box that follows would see the same key
    chosen = climbed;
    give_keys(ImGui::GetID(climbed->info.id));
  }
  ImGui::PopID();
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  for (const LadderStrip::Caption& caption : strip.captions) {
    ImGui::GetWindowDrawList()->AddText({origin.x + caption.x, origin.y + caption.y},
                                        to_imgui(context.theme->dim), caption.text.c_str());
  }
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({ImGui::GetContentRegionAvail().x, strip.height});
  if (chosen) set_kernel(state, chosen->info.id);
}

/// Beside the name, or below it where there is no room.
void link_to_news(AppContext& context, const KernelEntry& kernel) {
  constexpr const char* kLabel = "what is new ›";
  const KernelEntry* below = rung_below(kernel);
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  const float width = ImGui::CalcTextSize(tr(kLabel)).x + 2 * context.scale,
              gap = 6 * context.scale;
  if (beside(gap, width)) {
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width);
  }
  if (ImGui::TextLink(tr_id(kLabel))) context.commands.request("source.news");
  ImGui::PopFont();
  tooltip(context, below ? wording("Shows in Source the lines that differ from {:02} {}, the "
                                   "rung below",
                                   below->info.number, below->info.id)
                         : "Shows the source; this is the lowest rung, so nothing below differs");
}

void own_kernel(AppContext& context, AppState& state, const OwnKernel& own) {
  heading(context, "KERNEL", "your own");
  strip_of_kernels(context, state);
  ImGui::PushFont(context.fonts.bold, Fonts::kText);
  elided(context, name_of(own));
  tooltip(context, own.file);
  ImGui::PopFont();
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->dim));
  ImGui::TextWrapped("%s",
                     tr("A kernel of your own: what it computes is said in its launch sheet."));
  ImGui::PopStyleColor();
  ImGui::PopFont();
  const std::string label = wording("Back to {}", state.edit.last_rung);
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  if (ImGui::Button((elide(label, room) + "###back").c_str())) leave_own_kernel(state);
  tooltip(context, label);
}

}  // namespace

LadderStrip place_ladder(const std::vector<LadderGroup>& groups, float room, const LadderText& text,
                         float scale) {
  const float gap = scale, between = 5 * scale, most = 26 * scale;
  LadderStrip strip;
  strip.box_height = std::round(text.line + 4 * scale);
  size_t count = 0;
  for (const LadderGroup& group : groups) count += group.kernels.size();
  const float gaps = gap * static_cast<float>(count - groups.size()) +
                     between * static_cast<float>(groups.size() - 1);
  strip.box_width = std::min(most, (room - gaps) / static_cast<float>(count));
  if (strip.box_width >= text.number + 1) {
    float x = 0, free_from = 0;
    for (const LadderGroup& group : groups) {
      // A group of one box may be narrower than the name below it.
      const float at = std::max(free_from, std::min(x, room - text.caption));
      strip.captions.push_back({group.name, at, strip.box_height + scale});
      free_from = at + text.caption + 4 * scale;
      for (const KernelEntry* kernel : group.kernels) {
        strip.boxes.push_back({kernel, x, 0});
        x += strip.box_width + gap;
      }
      x += between - gap;
    }
    strip.height = strip.box_height + scale + text.line;
    return strip;
  }
  const float left = text.caption + 4 * scale;
  strip.box_width = text.number + 4 * scale;
  const int a_row = std::max(1, static_cast<int>((room - left + gap) / (strip.box_width + gap)));
  float y = 0;
  for (const LadderGroup& group : groups) {
    strip.captions.push_back({group.name, 0, y + 2 * scale});
    int column = 0;
    for (const KernelEntry* kernel : group.kernels) {
      if (column == a_row) column = 0, y += strip.box_height + gap;
      strip.boxes.push_back(
          {kernel, left + static_cast<float>(column++) * (strip.box_width + gap), y});
    }
    y += strip.box_height + 2 * gap;
  }
  strip.height = y;
  return strip;
}

void kernel_ladder(AppContext& context, AppState& state) {
  if (state.edit.own()) return own_kernel(context, state, OwnKernel(*state.edit.own()));
  heading(context, "KERNEL",
          wording("rung {}, {} kernels", state.derived.kernel->info.number, kernel_table().count));
  strip_of_kernels(context, state);
  const KernelInfo& info = state.derived.kernel->info;
  ImGui::PushFont(context.fonts.bold, Fonts::kText);
  elided(context, fmt::format("{:02} {}", info.number, info.id));
  ImGui::PopFont();
  link_to_news(context, *state.derived.kernel);
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->dim));
  // Room for the longest idea: what is below stays where it is from rung to rung.
  const float room = ImGui::GetContentRegionAvail().x, top = ImGui::GetCursorPosY();
  float most = 0;
  for (const KernelEntry& kernel : kernel_table()) {
    most = std::max(most, ImGui::CalcTextSize(tr(kernel.info.idea), nullptr, false, room).y);
  }
  ImGui::TextWrapped("%s", tr(info.idea));
  ImGui::PopStyleColor();
  ImGui::PopFont();
  ImGui::SetCursorPosY(top + most);
  ImGui::Dummy({0, 0});
}

}  // namespace tilescope::widgets
