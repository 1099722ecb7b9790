#include "app/features/traffic/panels/traffic_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/kit/table_cells.h"
#include "app/kit/widgets.h"
#include "app/state/expectation.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

using model::Count;
using model::MemoryLevel;
using model::Traffic;
using worker::CountedTraffic;

enum class Part { all, read, write };

double part_of(const MemoryLevel& level, Part part, Count count) {
  const bool bytes = count == Count::bytes;
  const double read = bytes ? level.read : level.read_elements;
  const double write = bytes ? level.write : level.write_elements;
  return part == Part::all ? read + write : part == Part::read ? read : write;
}

double counted_l1(const CountedTraffic& c, const model::Counts& m, const Problem& p, Count count) {
  const auto load = static_cast<double>(c.global_load.bytes);
  const auto store = static_cast<double>(c.global_store.bytes);
  return count == Count::bytes ? load + store : model::global_elements(p, load, store, m);
}
double shared_part(double bytes, const model::SharedSum& sums, const Problem& p, Count count) {
  return count == Count::bytes ? bytes : model::shared_elements(p, bytes, sums.bytes);
}
double counted_shared_write(const CountedTraffic& c, const model::Counts& m, const Problem& p,
                            Count count) {
  return shared_part(static_cast<double>(c.shared_store.bytes + c.shared_copy.bytes),
                     m.epilogue_store, p, count);
}
double counted_shared_read(const CountedTraffic& c, const model::Counts& m, const Problem& p,
                           Count count) {
  return shared_part(static_cast<double>(c.shared_load.bytes), m.epilogue_load, p, count);
}

/// What a line is made of.
struct Source {
  const char* id;
  const char* label;
  const char* what;
  const MemoryLevel Traffic::*level;
  Part part;
  double (*counted)(const CountedTraffic&, const model::Counts&, const Problem&,
                    Count);  // null: `no_count` says why
  const char* no_count;
  Color Theme::*color;
};
constexpr Source kSources[] = {
    {"dram", "DRAM", "", &Traffic::dram, Part::all, nullptr, "no cache", &Theme::dim},
    {"l2", "L2 → SM", "What the SMs fetch from L2 and write to it: requests less L1 hits",
     &Traffic::l2, Part::all, nullptr, "no cache", &Theme::copy},
    {"l1", "L1 requests", "What the lanes of the kernel ask global memory for", &Traffic::l1,
     Part::all, counted_l1, "not run", &Theme::ok},
    {"shared.write", "shared write", "Written to shared memory, cp.async included",
     &Traffic::shared, Part::write, counted_shared_write, "not run", &Theme::b},
    {"shared.read", "shared read", "Read from shared memory, ldmatrix included", &Traffic::shared,
     Part::read, counted_shared_read, "not run", &Theme::load},
    {"registers", "registers", "Operands that mma or fma read from registers, and results",
     &Traffic::registers, Part::all, nullptr, "no counter", &Theme::mma},
};

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

void draw_heads(const AppContext& context, Count count, const TrafficHeads& heads) {
  struct Head {
    const char* name;
    std::string tip;
  };
  const Head all[] = {
      {"", ""},
      {"modelled", "What the tile, the problem and the layout functions say"},
      {"counted", "What the emulator counted while it executed the kernel's PTX"},
      {heads.measured, heads.source.empty() ? "What a card's counters say" : heads.source},
      {"error", heads.source.empty()
                    ? "The model against the emulator"
                    : "Against what the card counted: the model, and below it the emulator"},
      {count == Count::bytes ? "FLOP/B" : "FLOP/el.", "Arithmetic per byte, by the model"}};
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::TableNextRow();
  for (const Head& head : all) {
    ImGui::TableNextColumn();
    right_text(context, head.name, tone_color(context, Tone::dim));
    if (!head.tip.empty()) tooltip(context, head.tip);
  }
  ImGui::PopFont();
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
  right_text(context, m.is_bytes ? text_of(m.value) : model::grouped(std::llround(m.value)), plain);
  if (!m.unit.empty()) right_text(context, m.unit, dim);
  if (m.unit.empty()) bar(context, m.value, scale.low, scale.high, row.color, false);
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
  std::string tip;
  if (!model.empty()) tip = "The model is off what the card counted by " + model + ".";
  if (!count.empty()) tip += (tip.empty() ? "" : "\n") + ("The emulator's count by " + count + ".");
  if (!tip.empty()) tooltip(context, tip);
}

void figure_cells(const AppContext& context, const TrafficRow& row, double flop, Count count,
                  const Scale& scale) {
  const ImVec4 dim = tone_color(context, Tone::dim), plain = tone_color(context, Tone::plain);
  const auto text_of = [&](double value) {
    return count == Count::elements ? model::four_digits(value / 1e6) + " M"
                                    : model::bytes_text(value);
  };
  const bool has = row.modelled > 0;
  ImGui::TableNextColumn();
  right_text(context, has ? (row.exact ? "" : "~") + text_of(row.modelled) : "–",
             has ? plain : dim);
  if (has) bar(context, row.modelled, scale.low, scale.high, row.color, true);
  ImGui::TableNextColumn();
  const bool counted = row.counted && has;
  right_text(context,
             counted ? (row.counted_exactly ? "" : "~") + text_of(*row.counted)
             : has   ? row.no_count
                     : "–",
             counted ? plain : dim);
  if (counted) bar(context, *row.counted, scale.low, scale.high, row.color, false);
  ImGui::TableNextColumn();
  measured_cell(context, row, scale, text_of);
  ImGui::TableNextColumn();
  error_cell(context, row);
  ImGui::TableNextColumn();
  right_text(context, has ? model::four_digits(flop / row.modelled) : "–", has ? plain : dim);
}

}  // namespace

namespace {

/// What the figure of DRAM is: at best, or as the L2 was simulated.
std::string dram_words(const AppState& state) {
  const Traffic& t = state.derived.traffic;
  if (!state.derived.l2) {
    return fmt::format(
        "Each matrix once: the least that must come from and go to memory, {} of it read. What is "
        "read again, as the L2 forgets, {}.",
        model::bytes_text(t.dram.read),
        model::can_simulate_l2(state.derived.plan) ? "is being simulated"
                                                   : "is not simulated: the grid has too many "
                                                     "tiles, larger ones are");
  }
  const model::L2Traffic& l2 = *state.derived.l2;
  return fmt::format(
      "As the L2 lets it through, simulated: {} read ({} at best), {} written. The L2 has {:.1f} % "
      "of what CTAs read from it; it keeps about {} while others come.",
      model::bytes_text(l2.read), model::bytes_text(l2.compulsory), model::bytes_text(t.dram.write),
      100 * l2.hits(), model::bytes_text(state.derived.l2_machine.bytes));
}

}  // namespace

std::vector<TrafficRow> traffic_rows(const AppState& state, const Theme& theme, Count count) {
  const Results& r = state.results;
  const bool run = r.edit_serial == state.edit_serial && r.emulated;
  std::vector<TrafficRow> rows;
  const Traffic traffic = expected_traffic(state);
  for (const Source& s : kSources) {
    const MemoryLevel& level = traffic.*s.level;
    TrafficRow& row = rows.emplace_back();
    row.id = s.id, row.label = s.label, row.what = s.what;
    if (s.level == &Traffic::dram) row.what = dram_words(state);
    row.modelled = part_of(level, s.part, count);
    row.exact = level.exact;
    if (s.counted && run) {
      row.counted =
          s.counted(r.emulated->counted, state.derived.traffic.counts, state.edit.problem, count);
    }
    row.counted_exactly = !run || r.emulated->counted.exact;
    row.no_count = s.no_count;
    row.measured = measured_figure(state, row.id, count);
    if (!row.measured) row.no_measure = why_not_measured(state, row.id);
    row.has_counter = has_counter(row.id);
    row.color = theme.*s.color;
  }
  return rows;
}

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
  const float least = 340 * context.scale;
  const bool narrow = ImGui::GetContentRegionAvail().x < least;
  if (narrow) flags |= ImGuiTableFlags_ScrollX;
  if (narrow && height <= 0) height = ImGui::GetContentRegionAvail().y * 0.65f;
  if (!ImGui::BeginTable("traffic", 6, flags, {0, height}, narrow ? least : 0)) return 0;
  ImGui::TableSetupScrollFreeze(narrow ? 1 : 0, 1);
  for (const auto& [name, weight] : {std::pair{"level", 1.6f},
                                     {"modelled", 1.1f},
                                     {"counted", 1.05f},
                                     {"measured", 1.05f},
                                     {"error", 0.7f},
                                     {"FLOP/B", 0.75f}}) {
    ImGui::TableSetupColumn(name, 0, weight);
  }
  draw_heads(context, count, heads);
  for (const TrafficRow& row : rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (name_cell(context, {row.id, row.label, row.what, row.color, *chosen == row.id})) {
      *chosen = row.id;
    }
    ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
    figure_cells(context, row, flop, count, scale);
    ImGui::PopFont();
  }
  ImGui::TableNextRow();  // the cursor stands below the last row
  const float whole = ImGui::GetCursorPosY();
  ImGui::EndTable();
  return whole;
}

}  // namespace tilescope::widgets
