#include "app/kit/answer_frame.h"

#include <algorithm>

#include "app/kit/widgets.h"

namespace tilescope::widgets {
namespace {

using viz::AnswerSign;

/// What it is and its figure, and below them the bar.
void answer_bar(const AppContext& context, const AnswerBar& bar, AnswerSign sign, double most) {
  const float s = context.scale, width = ImGui::GetContentRegionAvail().x;
  const float right = ImGui::GetCursorPosX() + width;
  const std::string value = elide(bar.value, 0.6f * width);
  const float value_width = ImGui::CalcTextSize(value.c_str()).x;
  elided(context, bar.label, Tone::dim, std::max(10 * s, width - value_width - 8 * s));
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - value_width - 1));
  elided(context, bar.value, sign == AnswerSign::answered ? Tone::warning : Tone::ok);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = 8 * s;
  ImGui::Dummy({width, height});
  const auto share = static_cast<float>(most > 0 ? std::max(0.0, bar.length) / most : 0);
  const ImVec2 high{at.x + std::max(2 * s, share * (width - s)), at.y + height};
  if (sign == AnswerSign::right) {
    ImGui::GetWindowDrawList()->AddRectFilled(at, high, to_imgui(answer_color(context, sign)));
  } else {
    answer_frame(context, at, high, sign);
  }
}

}  // namespace

void dashed_frame(ImVec2 low, ImVec2 high, ImU32 color, float dash, float width) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (float x = low.x; x < high.x; x += 2 * dash) {
    const float end = std::min(x + dash, high.x);
    draw->AddLine({x, low.y}, {end, low.y}, color, width);
    draw->AddLine({x, high.y}, {end, high.y}, color, width);
  }
  for (float y = low.y; y < high.y; y += 2 * dash) {
    const float end = std::min(y + dash, high.y);
    draw->AddLine({low.x, y}, {low.x, end}, color, width);
    draw->AddLine({high.x, y}, {high.x, end}, color, width);
  }
}

Color answer_color(const AppContext& context, AnswerSign sign) {
  return sign == AnswerSign::answered ? context.theme->warning : context.theme->ok;
}

void answer_frame(const AppContext& context, ImVec2 low, ImVec2 high, AnswerSign sign) {
  const float s = context.scale;
  const ImU32 color = to_imgui(answer_color(context, sign));
  if (sign == AnswerSign::answered) return dashed_frame(low, high, color, 4 * s, 1.5f * s);
  ImGui::GetWindowDrawList()->AddRect(low, high, color, 0, 1.5f * s);
}

void answer_frame(const AppContext& context, AnswerSign sign) {
  const float out = context.scale;
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  answer_frame(context, {low.x - out, low.y - out}, {high.x + out, high.y + out}, sign);
}

std::array<LegendKey, 2> answer_keys(const AppContext& context) {
  using Mark = LegendKey::Mark;
  return {{{Mark::dashed_ring, answer_color(context, AnswerSign::answered), "your answer",
            "What was chosen, and is wrong"},
           {Mark::ring, answer_color(context, AnswerSign::right), "what is right",
            "Until something else is chosen"}}};
}

void answer_legend(const AppContext& context) {
  for (const LegendKey& key : answer_keys(context)) {
    if (legend(context, {&key, 1}) > 0) ImGui::NewLine();
  }
}

void answer_bars(const AppContext& context, const AnswerBar& answered, const AnswerBar& right) {
  const double most = std::max(answered.length, right.length);
  answer_bar(context, answered, AnswerSign::answered, most);
  answer_bar(context, right, AnswerSign::right, most);
}

}  // namespace tilescope::widgets
