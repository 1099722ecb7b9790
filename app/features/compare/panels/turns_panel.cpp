// In turns: A and B measured one after the other, round by round.

#include <algorithm>

#include "app/features/compare/measured_turns.h"
#include "app/features/compare/panels/compare_parts.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/history.h"
#include "app/state/second.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/roofs.h"

namespace tilescope {
namespace {

using namespace widgets;

constexpr float kLarge = 26;

struct Figure {
  std::string value, unit, standing;
};
Figure figure_of(const AppState& state, const std::optional<double>& turns_us) {
  HistoryPoint point = point_of(state);
  std::string standing = point.standing == Standing::none ? "no figure" : name_of(point.standing);
  if (turns_us) {
    if (point.tflops && point.time_us) point.tflops = *point.tflops * *point.time_us / *turns_us;
    point.time_us = turns_us;
    standing = "measured in turns";
  } else if (!point.date.empty()) {
    standing += " " + point.date;
    if (point.older_kernel) standing += ", older kernel";
  }
  const char* mark = point.standing == Standing::modelled && !turns_us ? "~" : "";
  if (point.tflops) {
    const model::RateUnit rate = model::rate_unit(*point.tflops);
    return {mark + model::four_digits(*point.tflops * rate.per_tflops), rate.name, standing};
  }
  if (point.time_us) return {mark + model::time_text(*point.time_us), "", standing};
  return {"–", "", standing};
}

void large(AppContext& context, const Figure& figure, bool first) {
  side_badge(context, first);
  ImGui::SameLine(0, 6 * context.scale);
  ImGui::BeginGroup();
  ImGui::PushFont(context.fonts.bold, kLarge);
  ImGui::TextUnformatted(figure.value.c_str());
  ImGui::PopFont();
  ImGui::SameLine(0, 5 * context.scale);
  ImGui::TextUnformatted(figure.unit.c_str());
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, figure.standing, Tone::dim);
  ImGui::PopFont();
  ImGui::EndGroup();
}

/// A point a round: A's round ones, B's square ones; less is better and lower.
void plot(const AppContext& context, const std::vector<Turns::Sample>& samples) {
  const float s = context.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  if (room.x < 60 * s || room.y < 40 * s) return;
  double low = 1e300, high = 0;
  for (const Turns::Sample& one : samples) {
    low = std::min({low, one.a_us, one.b_us}), high = std::max({high, one.a_us, one.b_us});
  }
  const double margin = std::max(0.15 * (high - low), 0.002 * high);
  low -= margin, high += margin;
  const Theme& theme = *context.theme;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  const std::string top = model::time_text(high), bottom = model::time_text(low);
  const float left =
      std::max(ImGui::CalcTextSize(top.c_str()).x, ImGui::CalcTextSize(bottom.c_str()).x) + 6 * s;
  const float line = ImGui::GetTextLineHeight();
  const auto y_of = [&](double us) {
    const float part = static_cast<float>((high - us) / (high - low));
    return at.y + line / 2 + part * (room.y - line);
  };
  for (const double us : {low, (low + high) / 2, high}) {
    const float y = y_of(us);
    draw->AddLine({at.x + left, y}, {at.x + room.x, y}, to_imgui(theme.grid));
    draw->AddText({at.x, y - line / 2}, to_imgui(theme.dim), model::time_text(us).c_str());
  }
  const float step = (room.x - left) / static_cast<float>(2 * Turns::kRounds + 1);
  for (size_t i = 0; i < samples.size(); ++i) {
    const float x = at.x + left + step * static_cast<float>(2 * i + 1);
    draw->AddCircleFilled({x, y_of(samples[i].a_us)}, 3.5f * s, to_imgui(theme.accent));
    const float bx = x + step, by = y_of(samples[i].b_us);
    draw->AddRectFilled({bx - 3 * s, by - 3 * s}, {bx + 3 * s, by + 3 * s}, to_imgui(theme.text));
  }
  ImGui::PopFont();
  ImGui::Dummy(room);
}

/// Beside each other, or where one would be cut one above the other.
void figures(AppContext& context, const AppState& state,
             const std::optional<Turns::Sample>& median) {
  const Figure a = figure_of(state, median ? std::optional(median->a_us) : std::nullopt);
  const Figure b =
      figure_of(*second_of(state), median ? std::optional(median->b_us) : std::nullopt);
  const float half = ImGui::GetContentRegionAvail().x / 2;
  ImGui::PushFont(context.fonts.bold, kLarge);
  const float widest =
      std::max(ImGui::CalcTextSize(a.value.c_str()).x, ImGui::CalcTextSize(b.value.c_str()).x);
  ImGui::PopFont();
  const bool stacked = half < widest + 90 * context.scale;
  const ImVec2 top = ImGui::GetCursorPos();
  ImGui::BeginChild("##a", {stacked ? 0 : half - 4 * context.scale, 0},
                    ImGuiChildFlags_AutoResizeY);
  large(context, a, true);
  ImGui::EndChild();
  const float below = ImGui::GetCursorPosY();
  if (!stacked) ImGui::SetCursorPos({top.x + half, top.y});
  ImGui::BeginChild("##b", {stacked ? 0 : half, 0}, ImGuiChildFlags_AutoResizeY);
  large(context, b, false);
  ImGui::EndChild();
  ImGui::SetCursorPosY(std::max(below, ImGui::GetCursorPosY()));
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  if (!need_second(context, "In turns")) return;
  const Turns& turns = state.of<Turns>();
  const auto median = turns_median(state);
  figures(context, state, median);
  const std::string why_not = why_no_turns(state);
  if (turns_are_present(state) && !turns.samples.empty()) {
    const std::string words = turns.running
                                  ? wording("round {} of {} · Esc stops", turns.samples.size() + 1,
                                            static_cast<int>(Turns::kRounds))
                                  : wording("A ● B ■ A ● B ■ …, medians of {} rounds on {}",
                                            turns.samples.size(), turns.device);
    elided(context, words, Tone::dim);
    plot(context, turns.samples);
    return;
  }
  if (!turns.error.empty() && why_not.empty()) elided(context, turns.error, Tone::warning);
  ImGui::BeginDisabled(!why_not.empty() || turns.running || turns.wanted);
  const char* label = turns.running || turns.wanted ? "measuring …" : "Measure in turns";
  if (ImGui::Button(tr_id(label))) context.commands.request("compare.turns");
  ImGui::EndDisabled();
  if (!why_not.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->dim));
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(why_not.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
  }
}

}  // namespace

extern const Panel turns_panel = {
    .id = "compare_turns",
    .title = "In turns",
    .docks = {.compare = Dock::kBottomRight},
    .draw = draw,
    .without_plan = true,
};

}  // namespace tilescope
