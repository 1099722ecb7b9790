#include "app/features/traffic/panels/traffic_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/features/traffic/panels/access_table.h"
#include "app/features/traffic/panels/answered_traffic.h"
#include "app/features/traffic/panels/second_column.h"
#include "app/kit/answer_frame.h"
#include "app/kit/core/line_heat.h"
#include "app/kit/table_cells.h"
#include "app/kit/widgets.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

using model::Count;

Color color_of(const Theme& theme, TrafficHue hue) {
  switch (hue) {
    case TrafficHue::dram:
      return theme.dim;
    case TrafficHue::l2:
      return theme.copy;
    case TrafficHue::l1:
      return theme.ok;
    case TrafficHue::shared_write:
      return theme.b;
    case TrafficHue::shared_read:
      return theme.load;
    case TrafficHue::registers:
      return theme.mma;
  }
  return theme.text;
}

/// A bar under a figure: dashed modelled, solid counted; log scale over all rows.
void bar(const AppContext& context, double value, double low, double high, Color color,
         bool dashed) {
  const float s = context.scale, width = std::min(60 * s, ImGui::GetContentRegionAvail().x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, 4 * s});
  if (value <= 0 || high <= low) return;
  const double part = std::log(value / low) / std::log(high / low);
  const float length = width * static_cast<float>(std::clamp(part, 0.02, 1.0));
  ImDrawList* draw = ImGui::GetWindowDrawList();
  if (!dashed) {
    draw->AddRectFilled(at, {at.x + length, at.y + 3 * s}, to_imgui(color));
    return;
  }
  for (float x = 0; x < length; x += 4 * s) {
    draw->AddRectFilled({at.x + x, at.y}, {at.x + std::min(x + 2.5f * s, length), at.y + 3 * s},
                        to_imgui(color));
  }
}

std::vector<TrafficColumn> columns_of(Count count, const TrafficHeads& heads) {
  std::vector<TrafficColumn> all = {
      {"", 1.6f, ""},
      {"modelled", 1.1f, "What the tile, the problem and the layout functions say"},
      {"counted", 1.05f, "What the emulator counted while it executed the kernel's PTX"},
      {heads.measured, 1.05f, heads.source.empty() ? "What a card's counters say" : heads.source},
      {"error", 0.7f,
       heads.source.empty()
           ? "The model against the emulator"
           : "Against what the card counted: the model, and below it the emulator"}};
  if (heads.accesses) {
    all.insert(all.end(),
               {{"requests", 0.85f, "Warp instructions that ask this level"},
                {"ideal", 0.8f,
                 "Sectors of 32 bytes in global, wavefronts in shared memory, at the least"},
                {"actual", 0.8f, "Sectors or wavefronts that they are in fact"},
                {"excess", 0.75f,
                 "Beyond the ideal: conflicts of banks, sectors of which only a part is used"}});
  }
  if (heads.second) all.push_back(second_column());
  all.push_back(
      {count == Count::bytes ? "FLOP/B" : "FLOP/el.", 0.75f, "Arithmetic per byte, by the model"});
  return all;
}

void draw_heads(const AppContext& context, const std::vector<TrafficColumn>& columns) {
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::TableNextRow();
  for (const TrafficColumn& column : columns) {
    ImGui::TableNextColumn();
    right_text(context, column.name, tone_color(context, Tone::dim));
    if (!column.tip.empty()) tooltip(context, column.tip);
  }
  ImGui::PopFont();
}

/// requests, ideal, actual, excess.
void access_cells(const AppContext& context, const TrafficRow& row) {
  const ImVec4 dim = tone_color(context, Tone::dim), plain = tone_color(context, Tone::plain);
  if (!row.accesses || row.accesses->requests == 0) {
    for (int i = 0; i < 4; ++i) {
      ImGui::TableNextColumn();
      right_text(context, "–", dim);
    }
    return;
  }
  const AccessFigures& f = *row.accesses;
  const char* mark = row.accesses_counted ? "" : "~";
  const auto cell = [&](uint64_t value, const std::string& what, ImVec4 color) {
    ImGui::TableNextColumn();
    right_text(context, mark + short_count(value), color);
    tooltip(context, wording("{} {}, {}", model::grouped(static_cast<long long>(value)), what,
                             row.accesses_counted ? "as counted" : "by the model"));
  };
  const char* const unit = row.access_unit.c_str();
  cell(f.requests, tr("warp instructions"), dim);
  cell(f.ideal, wording("{} at the least", unit), dim);
  cell(f.cost, tr(unit), plain);
  ImGui::TableNextColumn();
  const bool bad = excess_text(context, f);
  tooltip(context, bad ? wording("{} {} beyond the ideal: \"accesses\" says of what",
                                 model::grouped(static_cast<long long>(f.more())), unit)
                       : wording("No {} beyond the ideal", unit));
}

struct Scale {
  double low = 1e300, high = 0;
};

/// A figure of a card, with its unit below it where that is not the table's.
void measured_cell(const AppContext& context, const TrafficRow& row, const Scale& scale,
                   const std::function<std::string(double)>& text_of) {
  const ImVec4 dim = tone_color(context, Tone::dim), plain = tone_color(context, Tone::plain);
  if (!row.measured) {
    right_text(context, row.has_counter ? "–" : "no counter", dim);
    if (!row.no_measure.empty()) tooltip(context, row.no_measure);
    return;
  }
  const MeasuredFigure& m = *row.measured;
  ImGui::BeginGroup();
  right_text(context, m.unit.empty() ? text_of(m.value) : model::grouped(std::llround(m.value)),
             plain);
  if (!m.unit.empty()) right_text(context, m.unit, dim);
  if (m.unit.empty())
    bar(context, m.value, scale.low, scale.high, color_of(*context.theme, row.hue), false);
  ImGui::EndGroup();
  tooltip(context, m.tip);
}

/// Against the card where it was asked, the model above the emulator; else the one against the
/// other.
void error_cell(const AppContext& context, const TrafficRow& row) {
  const ImVec4 dim = tone_color(context, Tone::dim), plain = tone_color(context, Tone::plain);
  if (!row.measured) {
    const std::string text =
        row.counted && row.modelled > 0 ? error_text(row.modelled, *row.counted) : "";
    return right_text(context, text.empty() ? "–" : text,
                      text.empty() || text == error_text(1, 1) ? dim : plain);
  }
  const MeasuredFigure& m = *row.measured;
  const std::string model = error_text(m.modelled, m.value), count = error_text(m.counted, m.value);
  ImGui::BeginGroup();
  right_text(context, model.empty() ? "–" : model, plain);
  if (!count.empty()) right_text(context, count, dim);
  ImGui::EndGroup();
  std::string tip = m.no_error;
  if (!model.empty()) tip = wording("The model is off what the card counted by {}.", model);
  if (!count.empty()) {
    if (!tip.empty()) tip += '\n';
    tip += wording("The emulator's count by {}.", count);
  }
  if (!tip.empty()) tooltip(context, tip);
}

void figure_cells(const AppContext& context, const TrafficRow& row, double flop, Count count,
                  const Scale& scale, const TrafficHeads& heads) {
  const ImVec4 dim = tone_color(context, Tone::dim), plain = tone_color(context, Tone::plain);
  const auto text_of = [&](double value) {
    return count == Count::elements ? model::four_digits(value / 1e6) + " M"
                                    : model::bytes_text(value);
  };
  const bool has = row.modelled > 0;
  ImGui::TableNextColumn();
  right_text(context, has ? (row.exact ? "" : "~") + text_of(row.modelled) : "–",
             has ? plain : dim);
  if (has)
    bar(context, row.modelled, scale.low, scale.high, color_of(*context.theme, row.hue), true);
  ImGui::TableNextColumn();
  const bool counted = row.counted && has;
  right_text(context,
             counted ? (row.counted_exactly ? "" : "~") + text_of(*row.counted)
             : has   ? row.no_count
                     : "–",
             counted ? plain : dim);
  if (counted)
    bar(context, *row.counted, scale.low, scale.high, color_of(*context.theme, row.hue), false);
  ImGui::TableNextColumn();
  measured_cell(context, row, scale, text_of);
  ImGui::TableNextColumn();
  error_cell(context, row);
  if (heads.accesses) access_cells(context, row);
  if (heads.second) {
    const auto b = std::ranges::find_if(*heads.second, [&](const TrafficRow& other) {
      return std::string_view(other.id) == row.id;
    });
    second_cell(context, b == heads.second->end() ? std::nullopt : against_second(row, *b, count));
  }
  ImGui::TableNextColumn();
  right_text(context, has ? model::four_digits(flop / row.modelled) : "–", has ? plain : dim);
  // What was said stands in the panel's line above: this column may be scrolled out of sight.
  const bool answered = has && count == Count::bytes && context.state->wrong_answer.fact &&
                        answered_fact(*context.state, std::string("flop_per_byte.") + row.id);
  if (answered) answer_frame(context, viz::AnswerSign::right);
}

}  // namespace

float traffic_table(AppContext& context, const std::vector<TrafficRow>& rows, double flop,
                    Count count, const TrafficHeads& heads, std::string* chosen, float height) {
  Scale scale;
  for (const TrafficRow& row : rows) {
    if (row.modelled <= 0) continue;
    scale.low = std::min(scale.low, row.modelled), scale.high = std::max(scale.high, row.modelled);
  }
  scale.low /= 4;
  ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX;
  if (height > 0) flags |= ImGuiTableFlags_ScrollY;
  // Where no figure would fit it scrolls; a table that scrolls has a height of its own.
  const float least = (heads.second ? 400 : 340) * context.scale;
  const bool narrow = ImGui::GetContentRegionAvail().x < least;
  if (narrow) flags |= ImGuiTableFlags_ScrollX;
  if (narrow && height <= 0) height = ImGui::GetContentRegionAvail().y * 0.65f;
  const std::vector<TrafficColumn> columns = columns_of(count, heads);
  // Of other columns the table is another one: ImGui keeps their widths by their number.
  const std::string id = fmt::format("traffic{}", columns.size());
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(columns.size()), flags, {0, height},
                         narrow ? least : 0)) {
    return 0;
  }
  ImGui::TableSetupScrollFreeze(narrow ? 1 : 0, 1);
  for (const TrafficColumn& column : columns) {
    ImGui::TableSetupColumn(*column.name ? tr(column.name) : tr("level"), 0, column.weight);
  }
  draw_heads(context, columns);
  for (const TrafficRow& row : rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (name_cell(context, {row.id, row.label, row.what, color_of(*context.theme, row.hue),
                            *chosen == row.id})) {
      *chosen = row.id;
    }
    answered_level(context, row.id);
    ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
    figure_cells(context, row, flop, count, scale, heads);
    ImGui::PopFont();
  }
  ImGui::TableNextRow();  // the cursor stands below the last row
  const float whole = ImGui::GetCursorPosY();
  ImGui::EndTable();
  return whole;
}

}  // namespace tilescope::widgets
