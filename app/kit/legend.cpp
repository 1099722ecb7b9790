#include "app/kit/legend.h"

#include <imgui_internal.h>

#include <algorithm>

#include "app/kit/answer_frame.h"
#include "app/kit/widgets.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

void draw_mark(const Theme& theme, const LegendKey& key, ImVec2 middle, float scale) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float r = 4 * scale;
  const ImVec2 from{middle.x - r, middle.y - r}, to{middle.x + r, middle.y + r};
  const ImU32 color = to_imgui(key.color);
  switch (key.mark) {
    case LegendKey::Mark::fill:
      return draw->AddRectFilled(from, to, color);
    case LegendKey::Mark::ring:
      return draw->AddRect(from, to, color, 0, 2 * scale);
    case LegendKey::Mark::thin_ring:
      return draw->AddRect(from, to, color, 0, scale);
    case LegendKey::Mark::dashed_ring:
      return dashed_frame(from, to, color, 2 * scale, 1.5f * scale);
    case LegendKey::Mark::lit: {
      Color ground = key.color;
      ground.a = 115;
      draw->AddRectFilled(from, to, to_imgui(ground));
      return draw->AddRect(from, to, color, 0, 1.5f * scale);
    }
    case LegendKey::Mark::playhead:
      draw->AddLine({middle.x, from.y}, {middle.x, to.y + scale}, color, 2 * scale);
      return draw->AddTriangleFilled({from.x, from.y - scale}, {to.x, from.y - scale},
                                     {middle.x, from.y + 4 * scale}, color);
    case LegendKey::Mark::measured:
    case LegendKey::Mark::recorded:
    case LegendKey::Mark::modelled:
      return standing_mark(draw, theme, middle, r, key.mark, key.color);
  }
}

}  // namespace

void standing_mark(ImDrawList* draw, const Theme& theme, ImVec2 center, float radius,
                   LegendKey::Mark mark, Color color) {
  const ImU32 ink = to_imgui(mark == LegendKey::Mark::modelled ? theme.dim : color);
  if (mark == LegendKey::Mark::measured) return draw->AddCircleFilled(center, radius, ink);
  draw->AddCircleFilled(center, radius, to_imgui(theme.panel));
  if (mark == LegendKey::Mark::recorded) {
    draw->PathArcTo(center, radius, 0, IM_PI);
    draw->PathFillConvex(ink);
  }
  draw->AddCircle(center, radius, ink, 0, std::max(1.f, radius / 3));
}

void standing_legend(const AppContext& context) {
  using Mark = LegendKey::Mark;
  const Color color = context.theme->accent;
  const LegendKey keys[] = {
      {Mark::measured, color, "measured", "A card's clock, on this machine"},
      {Mark::recorded, color, "recorded", "A card's clock, on another day"},
      {Mark::modelled, color, "modelled", "From the plan and the card's rates: no clock said it"}};
  legend(context, keys);
  ImGui::NewLine();
}

int legend(const AppContext& context, std::span<const LegendKey> keys) {
  const float s = context.scale;
  int shown = 0;
  for (const LegendKey& key : keys) {
    const float text = ImGui::CalcTextSize(tr(key.label)).x;
    if (ImGui::GetContentRegionAvail().x < text + 14 * s) break;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_mark(*context.theme, key, {at.x + 4 * s, at.y + ImGui::GetFrameHeight() / 2}, s);
    ImGui::SetCursorScreenPos({at.x + 12 * s, at.y});
    ImGui::AlignTextToFramePadding();
    elided(context, key.label, Tone::dim);
    tooltip(context, key.tip);
    ImGui::SameLine(0, 10 * s);
    ++shown;
  }
  return shown;
}

}  // namespace tilescope::widgets
