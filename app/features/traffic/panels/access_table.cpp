#include "app/features/traffic/panels/access_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/features/traffic/counting.h"
#include "app/features/traffic/panels/second_column.h"
#include "app/features/traffic/traffic_measured.h"
#include "app/kit/core/line_heat.h"
#include "app/kit/table_cells.h"
#include "app/kit/widgets.h"
#include "app/state/access_rows.h"
#include "app/state/card_counters.h"
#include "app/state/present.h"
#include "app/state/second.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/traffic.h"

namespace tilescope::widgets {
namespace {

/// At most five characters, all digits in the tooltip.
void count_cell(const AppContext& context, const std::optional<double>& value, bool exact = true,
                Tone tone = Tone::plain) {
  ImGui::TableNextColumn();
  if (!value) return right_text(context, "–", tone_color(context, Tone::dim));
  const auto whole = static_cast<uint64_t>(std::llround(*value));
  right_text(context, (exact ? "" : "~") + short_count(whole), tone_color(context, tone));
  tooltip(context, model::grouped(static_cast<long long>(whole)));
}

std::optional<double> of(uint64_t value) { return static_cast<double>(value); }

/// What lies beyond the best, by the card, else the emulator, else the model.
void more_cell(const AppContext& context, const AccessRow& row) {
  const AccessFigures& known = row.counted ? *row.counted : row.modelled;
  ImGui::TableNextColumn();
  if (known.cost == 0) return right_text(context, "–", tone_color(context, Tone::dim));
  const bool bad = excess_text(context, known);
  std::string tip = bad ? wording("{} {} beyond the best, {}",
                                  model::grouped(static_cast<long long>(known.more())), row.unit,
                                  row.counted ? "as counted" : "by the model")
                        : wording("No {} beyond the best", row.unit);
  if (row.measured_more) {
    tip += wording("\nthe card counted {} conflicts",
                   model::grouped(std::llround(*row.measured_more)));
  }
  if (bad && row.metric == LineMetric::wavefronts) {
    tip +=
        tr("\nBank conflicts: lanes of one phase meet in a bank. Swizzle XOR or padded rows cure "
           "them.");
  } else if (bad) {
    tip += tr("\nLanes that are neighbours touch other sectors, or parts of some: not coalesced.");
  }
  tooltip(context, tip);
}

void error_cell(const AppContext& context, const AccessRow& row) {
  ImGui::TableNextColumn();
  std::string text, tip;
  if (row.measured) {
    text = error_text(static_cast<double>(row.kernel_alone), *row.measured);
    tip = "The model against what the card counted, both without the pass that packs operands";
  } else if (row.counted && row.has_model) {
    text =
        error_text(static_cast<double>(row.modelled.cost), static_cast<double>(row.counted->cost));
    tip = "The model against what the emulator counted";
  }
  const bool right = text.empty() || text == error_text(1, 1);
  right_text(context, text.empty() ? "–" : text,
             tone_color(context, right ? Tone::dim : Tone::plain));
  if (!text.empty()) tooltip(context, tip);
}

}  // namespace

bool excess_text(const AppContext& context, const AccessFigures& figures) {
  const auto ideal = static_cast<double>(figures.ideal);
  const double share = ideal > 0 ? static_cast<double>(figures.more()) / ideal : 0;
  const bool bad = share >= 0.005;
  right_text(context, bad ? fmt::format("+{:.0f} %", 100 * share) : "✓ 0",
             tone_color(context, bad ? Tone::warning : Tone::ok));
  return bad;
}

void access_table(AppContext& context) {
  AppState& state = *context.state;
  const std::vector<AccessRow> rows = access_rows(state);
  const bool own = state.edit.own() != nullptr;
  if (rows.empty() && own)
    return elided(context, "It has been counted to touch no memory.", Tone::dim);
  if (rows.empty()) return elided(context, "The counts come back with a legal tile.", Tone::dim);
  const std::string chosen = chosen_access(state);
  const std::vector<std::string> at = accesses_at(state, linked_code(state));
  const worker::CountersResult* card = counters_of(state);
  const bool recorded = card && card->standing == "recorded";
  const AppState* b = second_of(state);
  const bool with_second = b && (b->edit.own() || b->derived.legal());
  const std::vector<AccessRow> second = with_second ? access_rows(*b) : std::vector<AccessRow>();
  std::vector<TrafficColumn> columns = {
      {"", 2.2f, ""},
      {"requests", 0.95f,
       own ? "Warp instructions, as counted" : "Warp instructions, by the model"},
      {"modelled", 1.0f, "Sectors of 32 bytes in global, wavefronts in shared memory"},
      {"ideal", 0.9f,
       own ? "Sectors or wavefronts at best, as counted"
           : "Sectors or wavefronts at best, by the model"},
      {"excess", 0.9f, "Beyond the best: conflicts of banks, sectors of which only a part is used"},
      {"counted", 1.0f, "What the emulator counted while it executed the kernel's PTX"},
      {recorded ? "recorded" : "measured", 1.05f,
       "What a card's counters say, of the kernel alone"},
      {"error", 0.9f, "The model against the card, else against the emulator"},
  };
  if (with_second) columns.push_back(second_column());
  const float least = (with_second ? 565 : 500) * context.scale;
  const bool narrow = ImGui::GetContentRegionAvail().x < least;
  ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX;
  if (narrow) flags |= ImGuiTableFlags_ScrollX;
  const float height = narrow ? ImGui::GetContentRegionAvail().y : 0;
  const std::string table = fmt::format("accesses{}", columns.size());
  if (!ImGui::BeginTable(table.c_str(), static_cast<int>(columns.size()), flags, {0, height},
                         narrow ? least : 0)) {
    return;
  }
  if (narrow) ImGui::TableSetupScrollFreeze(1, 1);
  for (const TrafficColumn& c : columns) ImGui::TableSetupColumn(tr(c.name), 0, c.weight);
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::TableNextRow();
  for (const TrafficColumn& c : columns) {
    ImGui::TableNextColumn();
    right_text(context, c.name, tone_color(context, Tone::dim));
    if (!c.tip.empty()) tooltip(context, c.tip);
  }
  ImGui::PopFont();
  for (const AccessRow& row : rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool marked = chosen == row.id || std::find(at.begin(), at.end(), row.id) != at.end();
    const Color color =
        row.metric == LineMetric::sectors ? context.theme->copy : context.theme->load;
    const std::string what =
        wording("{}{}{}.\nClick: its lines and their {} in Source", row.what,
                row.of_card ? ": " : "", row.of_card ? model::kJoinedWhy : "", row.unit);
    if (name_cell(context, {row.id, row.label, what, color, marked})) {
      choose_access(state, chosen == row.id ? "" : row.id);
    }
    ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
    if (row.has_model) {
      count_cell(context, of(row.modelled.requests), row.exact);
      count_cell(context, of(row.modelled.cost), row.exact);
      count_cell(context, of(row.modelled.ideal), row.exact, Tone::dim);
    } else {
      count_cell(context, of(row.counted->requests));
      count_cell(context, std::nullopt);
      count_cell(context, of(row.counted->ideal), true, Tone::dim);
    }
    more_cell(context, row);
    count_cell(context, row.counted ? of(row.counted->cost) : std::nullopt,
               !present_results(state).emulated || present_results(state).emulated->counted.exact);
    count_cell(context, row.measured);
    error_cell(context, row);
    if (with_second) {
      const auto other = std::ranges::find_if(
          second, [&](const AccessRow& r) { return std::string_view(r.id) == row.id; });
      second_cell(context, other == second.end() ? std::nullopt : against_second(row, *other));
    }
    ImGui::PopFont();
  }
  ImGui::EndTable();
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context,
         "Global memory in sectors of 32 B, shared memory in wavefronts. A click shows the lines "
         "in Source.",
         Tone::dim);
  ImGui::PopFont();
}

}  // namespace tilescope::widgets
