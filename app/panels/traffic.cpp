// Memory traffic: bytes at each level, modelled beside counted beside measured, and the roofline.
#include <fmt/format.h>
#include <implot/implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "app/panel.h"
#include "app/state/edit.h"
#include "app/widgets/widgets.h"
#include "core/model/device_table.h"
#include "core/model/format.h"
#include "core/model/formulas.h"
#include "core/model/notes.h"

namespace tilescope {
namespace {

using namespace widgets;

/// One line of the table, bytes of the whole launch.
struct Row {
  const char* id;
  const char* label;
  const char* what;  // tooltip
  double modelled = 0;
  bool exact = false;
  std::optional<double> counted = {};
  const char* no_count = "";  // why there is no count
  std::optional<double> measured = {};
  Color color;
};

std::vector<Row> rows_of(const AppState& state, const Theme& theme) {
  const model::Traffic& t = state.derived.traffic;
  std::vector<Row> rows = {
      {.id = "dram",
       .label = "DRAM",
       .what = "Each matrix once: the least that must come from and go to memory",
       .modelled = t.dram.read + t.dram.write,
       .exact = t.dram.exact,
       .no_count = "no cache",
       .color = theme.dim},
      {.id = "l2",
       .label = "L2 → SM",
       .what = "What the SMs fetch from L2 and write to it: requests less L1 hits",
       .modelled = t.l2.read + t.l2.write,
       .exact = t.l2.exact,
       .no_count = "no cache",
       .color = theme.copy},
      {.id = "l1",
       .label = "L1 requests",
       .what = "Bytes that the lanes of the kernel ask global memory for",
       .modelled = t.l1.read + t.l1.write,
       .exact = t.l1.exact,
       .no_count = "not run",
       .color = theme.accent},
      {.id = "shared.write",
       .label = "shared write",
       .what = "Bytes written to shared memory, cp.async included",
       .modelled = t.shared.write,
       .exact = t.shared.exact,
       .no_count = "not run",
       .color = theme.b},
      {.id = "shared.read",
       .label = "shared read",
       .what = "Bytes read from shared memory, ldmatrix included",
       .modelled = t.shared.read,
       .exact = t.shared.exact,
       .no_count = "not run",
       .color = theme.ldmatrix},
      {.id = "registers",
       .label = "registers",
       .what = "Operands that mma or fma read from registers, and results",
       .modelled = t.registers.read + t.registers.write,
       .exact = t.registers.exact,
       .no_count = "no counter",
       .color = theme.mma},
  };
  const Results& r = state.results;
  if (r.edit_serial == state.edit_serial && r.emulated) {
    const worker::CountedTraffic& c = r.emulated->counted;
    for (Row& row : rows) {
      const std::string id = row.id;
      if (id == "l1") row.counted = static_cast<double>(c.global_load.bytes + c.global_store.bytes);
      if (id == "shared.write")
        row.counted = static_cast<double>(c.shared_store.bytes + c.shared_copy.bytes);
      if (id == "shared.read") row.counted = static_cast<double>(c.shared_load.bytes);
    }
  }
  return rows;
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

void right_text(const char* text, ImVec4 color) {
  const float width = ImGui::CalcTextSize(text).x;
  const float room = ImGui::GetContentRegionAvail().x;
  if (room > width) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
}

void table(AppContext& context, AppState& state, float width) {
  const Theme& theme = *context.theme;
  const bool elements = state.view.count_elements;
  const std::vector<Row> rows = rows_of(state, theme);
  double low = 1e300, high = 0;
  for (const Row& row : rows) {
    if (row.modelled > 0) low = std::min(low, row.modelled), high = std::max(high, row.modelled);
  }
  low /= 4;
  const int element = element_bytes(state.edit.problem.type_a);
  const auto text_of = [&](double bytes) {
    return elements ? model::four_digits(bytes / element / 1e6) + " M" : model::bytes_text(bytes);
  };
  const double work = flops(state.edit.problem);
  const ImVec4 dim = tone_color(context, Tone::dim), plain = tone_color(context, Tone::plain);
  const ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX;
  if (!ImGui::BeginTable("traffic", 6, flags, {width, 0})) return;
  ImGui::TableSetupColumn("level", 0, 1.6f);
  ImGui::TableSetupColumn("modelled", 0, 1.1f);
  ImGui::TableSetupColumn("counted", 0, 1.05f);
  ImGui::TableSetupColumn("measured", 0, 1.05f);
  ImGui::TableSetupColumn("error", 0, 0.7f);
  ImGui::TableSetupColumn("FLOP/B", 0, 0.75f);
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::TableNextRow();
  for (int c = 0; c < 6; ++c) {
    ImGui::TableNextColumn();
    static const char* kHeads[] = {"", "modelled", "counted", "measured", "error", "FLOP/B"};
    right_text(c == 5 && elements ? "FLOP/el." : kHeads[c], dim);
  }
  ImGui::PopFont();
  for (const Row& row : rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (state.view.traffic_row == row.id) {
      ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, to_imgui(theme.accent_ground));
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight();
    if (ImGui::Selectable(fmt::format("##{}", row.id).c_str(), false,
                          ImGuiSelectableFlags_SpanAllColumns, {0, line + 5 * context.scale})) {
      state.view.traffic_row = row.id;
    }
    tooltip(context, row.what);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x, at.y + line / 2 - 4 * context.scale},
        {at.x + 8 * context.scale, at.y + line / 2 + 4 * context.scale}, to_imgui(row.color));
    ImGui::SetCursorScreenPos({at.x + 13 * context.scale, at.y});
    elided(context, row.label);
    ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
    ImGui::TableNextColumn();
    const bool has = row.modelled > 0;
    right_text(has ? ((row.exact ? "" : "~") + text_of(row.modelled)).c_str() : "–",
               has ? plain : dim);
    if (has) bar(context, row.modelled, low, high, row.color, true);
    ImGui::TableNextColumn();
    if (row.counted && has) {
      right_text(text_of(*row.counted).c_str(), plain);
      bar(context, *row.counted, low, high, row.color, false);
    } else {
      right_text(!has ? "–" : row.no_count, dim);
    }
    ImGui::TableNextColumn();
    right_text("no counter", dim);
    ImGui::TableNextColumn();
    if (row.counted && has && *row.counted > 0) {
      const double error = (row.modelled - *row.counted) / *row.counted * 100;
      right_text(fmt::format("{:+.1f} %", error == 0 ? 0.0 : error).c_str(),
                 std::abs(error) < 0.05 ? dim : plain);
    } else {
      right_text("–", dim);
    }
    ImGui::TableNextColumn();
    if (has)
      right_text(model::four_digits(work / row.modelled * (elements ? element : 1)).c_str(), plain);
    else
      right_text("–", dim);
    ImGui::PopFont();
  }
  ImGui::EndTable();
}

/// What the emulator counted of a formula's value; the table has the bytes, here are the
/// wavefronts.
std::optional<uint64_t> counted_wavefronts(const AppState& state, std::string_view key) {
  const Results& r = state.results;
  if (r.edit_serial != state.edit_serial || !r.emulated) return {};
  const worker::CountedTraffic& c = r.emulated->counted;
  if (key == "shared.read.wavefronts") return c.shared_load.wavefronts;
  if (key == "shared.write.wavefronts") return c.shared_store.wavefronts;
  if (key == "shared.write.copy_wavefronts") return c.shared_copy.wavefronts;
  return {};
}

/// The formulas behind the chosen row, with the present numbers put in.
void formulas(AppContext& context, AppState& state) {
  if (!state.derived.legal()) {
    elided(context, "The formulas' numbers come back with a legal tile.", Tone::dim);
    return;
  }
  const model::DeviceRow* gpu = &state.gpu;
  const Derived& d = state.derived;
  static std::pair<uint64_t, uint64_t> made_for;
  static std::vector<model::Formula> all;
  if (made_for != std::pair(state.edit_serial, state.device_serial) || all.empty()) {
    made_for = {state.edit_serial, state.device_serial};
    all = model::traffic_formulas(model::analyse(d.plan, state.edit.problem, d.launch, *gpu));
  }
  ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
  ImGui::PushTextWrapPos(0);
  for (const model::Formula& f : all) {
    if (!f.key.starts_with(state.view.traffic_row)) continue;
    ImGui::TextUnformatted(fmt::format("{} = {}", f.title, f.symbols).c_str());
    ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->dim));
    ImGui::TextUnformatted(fmt::format("= {} = {}{} {}", f.numbers, f.exact ? "" : "~",
                                       model::grouped(std::llround(f.value)), f.unit)
                               .c_str());
    if (const auto counted = counted_wavefronts(state, f.key)) {
      ImGui::TextUnformatted(
          fmt::format("counted {}", model::grouped(static_cast<long long>(*counted))).c_str());
    }
    ImGui::PopStyleColor();
  }
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
}

/// Roofs of the levels, the intensities of this kernel, the modelled or measured speed.
void roofline(AppContext& context, AppState& state, ImVec2 size) {
  const Theme& theme = *context.theme;
  const model::DeviceRow* gpu = &state.gpu;
  const bool tensor = state.derived.plan.math == Math::mma;
  const double roof = tensor ? gpu->tensor_tflops : gpu->fp32_tflops;
  const double clock = gpu->clock_mhz * 1e6;
  struct Slope {
    const char* name;
    double bytes_per_second, intensity;
    Color color;
  };
  const double work = flops(state.edit.problem);
  const auto intensity = [&](const model::Level& l) {
    const double bytes = l.read + l.write;
    return bytes > 0 ? work / bytes : 0;
  };
  const model::Traffic& t = state.derived.traffic;
  const Slope slopes[] = {
      {"shared", 128 * clock * gpu->limits.sm_count, intensity(t.shared), theme.ldmatrix},
      {"L2", gpu->l2_bytes_per_clock * clock, intensity(t.l2), theme.copy},
      {"DRAM", gpu->dram_gb_per_second * 1e9, intensity(t.dram), theme.dim},
  };
  double x_max = 1000;
  for (const Slope& s : slopes) x_max = std::max(x_max, s.intensity * 2);
  ImPlot::PushStyleColor(ImPlotCol_PlotBg, ImVec4(0, 0, 0, 0));
  ImPlot::PushStyleColor(ImPlotCol_FrameBg, ImVec4(0, 0, 0, 0));
  ImPlot::PushStyleColor(ImPlotCol_AxisGrid, to_vec4(theme.border));
  ImPlot::PushStyleVar(ImPlotStyleVar_PlotPadding, {4 * context.scale, 4 * context.scale});
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  constexpr ImPlotFlags kFlags = ImPlotFlags_NoLegend | ImPlotFlags_NoMenus |
                                 ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText;
  if (ImPlot::BeginPlot("##roofline", size, kFlags)) {
    ImPlot::SetupAxes("FLOP / B", "TFLOPS", ImPlotAxisFlags_NoHighlight,
                      ImPlotAxisFlags_NoHighlight);
    ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
    ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
    ImPlot::SetupAxesLimits(1, x_max, roof / 200, roof * 2.2, ImPlotCond_Always);
    for (const Slope& s : slopes) {
      const double knee = roof * 1e12 / s.bytes_per_second;
      const double xs[] = {0.01, knee}, ys[] = {0.01 * s.bytes_per_second / 1e12, roof};
      ImPlotSpec spec;
      spec.LineColor = to_vec4(s.color);
      spec.LineWeight = 1.5f * context.scale;
      ImPlot::PlotLine(s.name, xs, ys, 2, spec);
    }
    const double flat_x[] = {0.01, x_max}, flat_y[] = {roof, roof};
    ImPlotSpec flat;
    flat.LineColor = to_vec4(theme.text);
    flat.LineWeight = 1.5f * context.scale;
    ImPlot::PlotLine("roof", flat_x, flat_y, 2, flat);
    ImPlot::PlotText(model::four_digits(roof).c_str(), x_max / 2.2, roof * 1.35);
    const double speed = state.derived.prediction.tflops;
    int i = 0;
    for (const Slope& s : slopes) {
      if (s.intensity <= 0 || speed <= 0) continue;
      ImPlotSpec spec;
      spec.Marker = ImPlotMarker_Circle;
      spec.MarkerSize = 4 * context.scale;
      spec.MarkerFillColor = to_vec4(theme.panel);
      spec.MarkerLineColor = to_vec4(s.color);
      spec.LineWeight = 2 * context.scale;
      ImPlot::PlotScatter(s.name, &s.intensity, &speed, 1, spec);
      ImPlot::PlotText(s.name, s.intensity, speed,
                       {0, (12.0f + 11.0f * static_cast<float>(i++ % 2)) * context.scale});
    }
    ImPlot::EndPlot();
  }
  ImGui::PopFont();
  ImPlot::PopStyleVar();
  ImPlot::PopStyleColor(3);
}

void levels(AppContext& context, AppState& state) {
  table(context, state, 0);
  ImGui::Spacing();
  formulas(context, state);
}

void roofline_titled(AppContext& context, AppState& state, ImVec2 size) {
  ImGui::BeginChild("##roof", size);
  ImGui::PushFont(context.fonts.bold, Fonts::kLabel);
  ImGui::TextUnformatted("Roofline");
  ImGui::PopFont();
  ImGui::SameLine();
  elided(context, "modelled", Tone::dim);
  roofline(context, state, ImGui::GetContentRegionAvail());
  ImGui::EndChild();
}

void draw_header(AppContext& context) {
  static constexpr const char* kWays[] = {"as in the notes", "in bytes"};
  int way = context.state->view.count_elements ? 0 : 1;
  if (segmented(context, "count", kWays, &way)) context.state->view.count_elements = way == 0;
  tooltip(context,
          "The notes count elements and call them bytes; everything else here counts bytes.");
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  if (!state.derived.kernel || state.derived.violation.rule == Rule::extent_range) {
    empty_panel(context, "No traffic to count", state.derived.sentence);
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = 10 * context.scale;
  if (room.y > 470 * context.scale) {  // tall: one below the other
    ImGui::BeginChild("##levels", {0, 0}, ImGuiChildFlags_AutoResizeY);
    levels(context, state);
    ImGui::EndChild();
    roofline_titled(context, state, {0, 0});
    return;
  }
  if (room.x > 560 * context.scale) {  // wide: side by side
    const float plot = std::min(190 * context.scale, room.x * 0.3f);
    ImGui::BeginChild("##levels", {room.x - plot - gap, 0});
    levels(context, state);
    ImGui::EndChild();
    ImGui::SameLine(0, gap);
    roofline_titled(context, state, {plot, 0});
    return;
  }
  int& tab = state.view.traffic_tab;
  static constexpr const char* kTabs[] = {"levels", "roofline"};
  segmented(context, "traffic_tab", kTabs, &tab);
  if (tab == 1) {
    roofline(context, state, ImGui::GetContentRegionAvail());
  } else {
    levels(context, state);
  }
}

}  // namespace

extern const Panel traffic_panel = {
    .id = "traffic",
    .title = "Memory traffic",
    .docks = {Dock::kBottomRight, Dock::kHidden, Dock::kRightTop, Dock::kHidden},
    .draw = draw,
    .draw_header = draw_header,
};

}  // namespace tilescope
