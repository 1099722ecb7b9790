// Live benchmark: one large figure with its spread and its standing, what stands beside it, the
// history of edits, pinned baselines, the best tiles.
#include <fmt/format.h>
#include <implot/implot.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/panel.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/widgets/best_tiles.h"
#include "app/widgets/widgets.h"
#include "core/model/format.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

using namespace widgets;

Tone tone_of(Standing s) {
  return s == Standing::measured ? Tone::ok : s == Standing::none ? Tone::dim : Tone::accent;
}

/// "compiling 180 ms", "emulating 40 %": what is going on, empty when nothing is.
std::string activity(const AppState& state) {
  const Results& r = state.results;
  const double ms = (state.now - r.stage_since) * 1000;
  switch (r.stage) {
    case Stage::debouncing:
    case Stage::queued:
      return "queued";
    case Stage::compiling:
      return fmt::format("compiling {:.0f} ms", ms);
    case Stage::tracing:
      return "tracing";
    case Stage::emulating:
      return fmt::format("emulating {:.0f} %", r.emulate_done * 100);
    case Stage::checking:
      return "checking all of k";
    case Stage::measuring:
      return r.measured ? fmt::format("measuring {} of {}", r.measured->samples,
                                      r.measured->samples_planned)
                        : std::string("measuring");
    case Stage::idle:
    case Stage::done:
    case Stage::failed:
      break;
  }
  return {};
}

struct Fact {
  std::string figure;
  std::string caption;
  std::string tip;
  Tone tone = Tone::plain;
  const char* command = nullptr;  // that a click runs
};

std::vector<Fact> facts_of(const AppState& state, const HistoryPoint& point) {
  std::vector<Fact> facts;
  const Results& r = state.results;
  const bool fresh = r.edit_serial == state.edit_serial;
  const char* none = "–";
  if (point.of_library) {
    facts.push_back({fmt::format("{:.1f} %", *point.of_library * 100),
                     fmt::format("of {}", r.measured && r.measured->library ? *r.measured->library
                                                                            : "the library"),
                     "Speed beside the vendor's library at the same types and layouts"});
  } else {
    facts.push_back({none, is_card(state.device) ? "of cuBLAS" : "of cuBLAS: needs a GPU",
                     "The library is timed on the same card as the kernel"});
  }
  const double roof =
      state.derived.plan.math() == Math::mma ? state.gpu.tensor_tflops : state.gpu.fp32_tflops;
  facts.push_back({point.tflops && roof > 0
                       ? fmt::format("{}{:.1f} %", point.standing == Standing::modelled ? "~" : "",
                                     *point.tflops / roof * 100)
                       : none,
                   fmt::format("of the roof, {}", model::four_digits(roof)),
                   "Of the peak of the units that this kernel computes on, in TFLOPS"});
  if (fresh && r.emulated && r.emulated->verified) {
    const auto& v = *r.emulated->verified;
    const worker::CodeFinding* found = worker::first_error(r.findings);
    if (v.ok && found) {
      facts.push_back(
          {"⚠ " + worker::finding_word(found->kind),
           found->line > 0 ? fmt::format("right; line {}", found->line) : std::string("right here"),
           found->message + "\nClick to see the line in Source.", Tone::warning, "source.finding"});
    } else
      facts.push_back(
          {fmt::format("{} {:.1e}", v.ok ? "✓" : "✗", v.norm),
           v.ok ? "relative error" : "WRONG result",
           "‖C − reference‖ / ‖reference‖ in double precision, computed by the emulator "
           "from the kernel's own PTX",
           v.ok ? Tone::ok : Tone::warning});
  } else {
    facts.push_back({none, "relative error", "The emulator verifies each kernel it runs"});
  }
  facts.push_back({point.time_us ? (point.standing == Standing::modelled ? "~" : "") +
                                       model::time_text(*point.time_us)
                                 : none,
                   point.standing == Standing::measured ? "median, cold L2" : "a launch",
                   "Time of one launch"});
  if (point.standing == Standing::modelled) {
    facts.push_back({state.derived.prediction.bound, "limits it, by the model",
                     "The level whose traffic takes longest"});
  } else {
    facts.push_back({r.measured && r.measured->clock_mhz
                         ? fmt::format("{:.0f} MHz", *r.measured->clock_mhz)
                         : none,
                     "SM clock", "While measuring"});
  }
  facts.push_back({fresh && r.compile ? fmt::format("{:.0f} ms", r.compile->compile_ms) : none,
                   fresh && r.compile && r.compile->cached ? "compile, cached" : "compile",
                   "NVRTC, source to PTX and cubin"});
  return facts;
}

/// TFLOPS in a unit that leaves digits before the point.
struct Rate {
  std::string number;
  const char* unit;
};
Rate rate_of(double tflops) {
  if (tflops >= 1 || tflops <= 0) return {model::four_digits(tflops), "TFLOPS"};
  if (tflops >= 1e-3) return {model::four_digits(tflops * 1e3), "GFLOPS"};
  return {model::four_digits(tflops * 1e6), "MFLOPS"};
}

void figure(AppContext& context, AppState& state, const HistoryPoint& point, bool stale) {
  const Theme& theme = *context.theme;
  const float s = context.scale;
  const float height = ImGui::GetContentRegionAvail().y;
  const bool low = height < 200 * s;
  // A dash in the size of a figure would look like a mistake.
  const float size = !point.tflops ? Fonts::kFigure / 2 : low ? 32 : Fonts::kFigure;
  const Rate rate = rate_of(point.tflops.value_or(0));
  const std::string text =
      point.tflops ? (point.standing == Standing::modelled ? "~" : "") + rate.number : "no figure";
  ImGui::BeginGroup();
  ImGui::PushFont(context.fonts.bold, size);
  ImGui::PushStyleColor(
      ImGuiCol_Text,
      to_vec4(stale || !point.tflops || point.standing == Standing::modelled ? theme.dim
                                                                             : theme.text));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  const ImVec2 end = ImGui::GetItemRectMax();
  const ImVec2 begin = ImGui::GetItemRectMin();
  ImGui::SameLine(0, 6 * s);
  ImGui::SetCursorScreenPos({end.x + 6 * s, begin.y + (end.y - begin.y) * 0.18f});
  ImGui::BeginGroup();
  ImGui::TextUnformatted(point.tflops ? rate.unit : "");
  if (state.results.measured && state.results.measured->spread && !stale) {
    elided(context, fmt::format("± {:.1f} %", *state.results.measured->spread * 100), Tone::dim,
           70 * s);
  }
  ImGui::EndGroup();
  const float below = std::max(end.y, ImGui::GetItemRectMax().y + 2 * s);
  ImGui::SetCursorScreenPos({begin.x, below});
  badge(context, standing_text(point), tone_of(point.standing),
        point.standing == Standing::modelled
            ? "An upper bound from the kernel's traffic and this GPU's rates; no GPU was asked."
        : point.older_kernel
            ? "The kernel's code has changed since it was recorded: what runs now may be faster or "
              "slower."
            : nullptr);
  ImGui::SameLine(0, 4 * s);
  badge(context, point.device.empty() ? state.gpu.name : point.device, Tone::dim);
  ImGui::EndGroup();
}

void fact_grid(AppContext& context, const std::vector<Fact>& facts) {
  if (!ImGui::BeginTable("facts", 3, ImGuiTableFlags_SizingStretchSame)) return;
  for (const Fact& fact : facts) {
    ImGui::TableNextColumn();
    if (fact.command) {
      const ImVec2 at = ImGui::GetCursorPos();
      const ImVec2 size{ImGui::GetContentRegionAvail().x,
                        2 * ImGui::GetTextLineHeightWithSpacing()};
      if (ImGui::InvisibleButton(fact.command, size)) context.commands.request(fact.command);
      if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      tooltip(context, fact.tip);
      ImGui::SetCursorPos(at);
    }
    ImGui::PushFont(context.fonts.bold, Fonts::kText);
    elided(context, fact.figure, fact.tone);
    ImGui::PopFont();
    ImGui::PushFont(context.fonts.text, Fonts::kCaption);
    elided(context, fact.caption, Tone::dim);
    tooltip(context, fact.tip);
    ImGui::PopFont();
  }
  ImGui::EndTable();
}

/// Dashes from point to point, for what nobody measured.
void dashed_line(const std::vector<ImPlotPoint>& points, ImU32 color, float scale) {
  ImDrawList* draw = ImPlot::GetPlotDrawList();
  const float dash = 4 * scale;
  ImPlot::PushPlotClipRect();
  for (size_t i = 1; i < points.size(); ++i) {
    const ImVec2 a = ImPlot::PlotToPixels(points[i - 1]), b = ImPlot::PlotToPixels(points[i]);
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    for (float at = 0; at < length; at += 2 * dash) {
      const float begin = at / length, end = std::min(1.0f, (at + dash) / length);
      draw->AddLine({a.x + (b.x - a.x) * begin, a.y + (b.y - a.y) * begin},
                    {a.x + (b.x - a.x) * end, a.y + (b.y - a.y) * end}, color, scale);
    }
  }
  ImPlot::PopPlotClipRect();
}

/// Timed points are joined by a line; modelled ones are hollow, and dashes join them to one
/// another.
void history_lines(AppContext& context, const AppState& state,
                   const std::vector<const HistoryPoint*>& shown) {
  const Theme& theme = *context.theme;
  std::vector<double> xs, ys;
  std::vector<ImPlotPoint> modelled;
  for (size_t i = 0; i < shown.size(); ++i) {
    const double x = static_cast<double>(i), y = *shown[i]->tflops;
    if (is_timed(shown[i]->standing)) {
      xs.push_back(x), ys.push_back(y);
    } else {
      modelled.push_back({x, y});
    }
  }
  ImPlotSpec line;
  line.LineColor = to_vec4(theme.accent);
  line.LineWeight = context.scale;
  ImPlot::PlotLine("history", xs.data(), ys.data(), static_cast<int>(xs.size()), line);
  dashed_line(modelled, to_imgui(theme.dim), context.scale);
  for (size_t i = 0; i < shown.size(); ++i) {
    const bool timed = is_timed(shown[i]->standing);
    const double x = static_cast<double>(i);
    ImPlotSpec dot;
    dot.Marker = ImPlotMarker_Circle;
    dot.MarkerSize = (same_request(shown[i]->edit, state.edit) ? 5.0f : 3.5f) * context.scale;
    dot.MarkerLineColor = to_vec4(timed ? theme.accent : theme.dim);
    dot.MarkerFillColor = to_vec4(timed ? theme.accent : theme.panel);
    ImPlot::PlotScatter("points", &x, &*shown[i]->tflops, 1, dot);
  }
}

void history_plot(AppContext& context, AppState& state, ImVec2 size) {
  const Theme& theme = *context.theme;
  const std::vector<const HistoryPoint*> shown = shown_history(state);
  if (shown.empty()) {
    ImGui::BeginChild("##no_history", size);
    empty_panel(context, "No history of this problem yet",
                "Each position of the sliders that has run adds a point here; every problem and "
                "device has a history of its own.");
    ImGui::EndChild();
    return;
  }
  double top = 0;
  for (const HistoryPoint* p : shown) top = std::max(top, *p->tflops);
  for (const Baseline& b : state.pinned) top = std::max(top, b.point.tflops.value_or(0));
  if (state.results.measured && state.results.measured->library_tflops) {
    top = std::max(top, *state.results.measured->library_tflops);
  }
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImPlot::PushStyleColor(ImPlotCol_PlotBg, ImVec4(0, 0, 0, 0));
  ImPlot::PushStyleColor(ImPlotCol_FrameBg, ImVec4(0, 0, 0, 0));
  ImPlot::PushStyleColor(ImPlotCol_AxisGrid, to_vec4(theme.border));
  ImPlot::PushStyleVar(ImPlotStyleVar_PlotPadding, {4 * context.scale, 4 * context.scale});
  constexpr ImPlotFlags kFlags = ImPlotFlags_NoLegend | ImPlotFlags_NoMenus |
                                 ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText;
  if (ImPlot::BeginPlot("##history", size, kFlags)) {
    ImPlot::SetupAxes(
        "edits, oldest first", "TFLOPS",
        ImPlotAxisFlags_NoTickLabels | ImPlotAxisFlags_NoGridLines | ImPlotAxisFlags_NoHighlight,
        ImPlotAxisFlags_NoHighlight);
    const double right = static_cast<double>(shown.size()) - 0.5;
    ImPlot::SetupAxesLimits(-0.5, right, 0, top > 0 ? top * 1.15 : 1, ImPlotCond_Always);
    history_lines(context, state, shown);
    for (const Baseline& b : state.pinned) {
      if (!b.point.tflops) continue;
      const double px[] = {-0.5, right}, py[] = {*b.point.tflops, *b.point.tflops};
      ImPlotSpec pin_line;
      pin_line.LineColor = to_vec4(theme.b);
      ImPlot::PlotLine(b.name.c_str(), px, py, 2, pin_line);
    }
    if (ImPlot::IsPlotHovered() && !context.rendering) {
      const long index = std::lround(ImPlot::GetPlotMousePos().x);
      if (index >= 0 && index < static_cast<long>(shown.size())) {
        const HistoryPoint& p = *shown[static_cast<size_t>(index)];
        ImGui::SetTooltip("%s\n%s: %s%s TFLOPS, %s\nclick to go back to it", p.edit.kernel.c_str(),
                          p.label.c_str(), is_timed(p.standing) ? "" : "~",
                          model::four_digits(*p.tflops).c_str(), standing_text(p).c_str());
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) set_edit(state, Edit(p.edit));
      }
    }
    ImPlot::EndPlot();
  }
  ImPlot::PopStyleVar();
  ImPlot::PopStyleColor(3);
  ImGui::PopFont();
}

void draw_header(AppContext& context) {
  AppState& state = *context.state;
  const std::string doing = activity(state);
  if (doing.empty()) {
    if (ImGui::SmallButton("Run again")) context.commands.request("run.again");
    tooltip(context, "Compile, verify and measure this tile once more (F5)");
    ImGui::SameLine();
    if (ImGui::SmallButton("Pin")) context.commands.request("edit.pin");
    tooltip(context, "Keep this result as a line in the plot");
    return;
  }
  elided(context, doing, Tone::dim, 130 * context.scale);
  ImGui::SameLine();
  if (ImGui::SmallButton("Stop")) context.commands.request("run.stop");
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  const float s = context.scale;
  const bool illegal = !state.derived.legal();
  HistoryPoint point = point_of(state);
  const std::vector<const HistoryPoint*> shown = shown_history(state);
  if (illegal && !shown.empty()) point = *shown.back();
  const float width = ImGui::GetContentRegionAvail().x;
  const float left = std::min(width * 0.42f, 210 * s);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  ImGui::BeginChild("##figure", {left, 0}, ImGuiChildFlags_AutoResizeY);
  figure(context, state, point, illegal);
  ImGui::EndChild();
  float bottom = ImGui::GetItemRectMax().y;
  ImGui::SetCursorScreenPos({top.x + left + 8 * s, top.y});
  ImGui::BeginChild("##facts", {width - left - 8 * s, 0}, ImGuiChildFlags_AutoResizeY);
  if (illegal) {
    ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->warning));
    ImGui::TextWrapped("cannot measure: the tile is illegal");
    ImGui::PopStyleColor();
    if (state.derived.nearest &&
        ImGui::Button(elide("nearest legal: " + state.derived.nearest_label,
                            ImGui::GetContentRegionAvail().x - 16 * s)
                          .c_str())) {
      context.commands.request("edit.nearest");
    }
    if (!shown.empty()) elided(context, "left: the last legal tile, " + point.label, Tone::dim);
  } else {
    fact_grid(context, facts_of(state, point));
  }
  ImGui::EndChild();
  bottom = std::max(bottom, ImGui::GetItemRectMax().y);
  ImGui::SetCursorScreenPos({top.x, bottom + 4 * s});
  ImGui::Dummy({0, 0});
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (!state.results.error.empty()) {  // in the history's place, which it would squash
    ImGui::BeginChild("##failed", {room.x, std::max(room.y, 40 * s)});
    error_box(context, "bench", state.results.error, state.results.error_details);
    if (ImGui::SmallButton("Run again##failed")) context.commands.request("run.again");
    ImGui::SameLine();
    if (ImGui::SmallButton("Restart the worker")) context.commands.request("worker.restart");
    ImGui::EndChild();
    return;
  }
  if (room.y < 40 * s) return;
  if (room.x > 420 * s && room.y > 90 * s) {
    const float plot = std::floor(room.x * 0.52f);
    history_plot(context, state, {plot, room.y});
    ImGui::SameLine(0, 8 * s);
    best_tiles(context, state, {room.x - plot - 8 * s, room.y});
    return;
  }
  static constexpr const char* kTabs[] = {"history", "best tiles"};
  int& tab = state.view.benchmark_tab;
  segmented(context, "bench_tab", kTabs, &tab);
  const ImVec2 rest = ImGui::GetContentRegionAvail();
  if (tab == 0)
    history_plot(context, state, rest);
  else
    best_tiles(context, state, rest);
}

}  // namespace

extern const Panel benchmark_panel = {
    .id = "benchmark",
    .title = "Live benchmark",
    .docks = {Dock::kBottomLeft, Dock::kHidden, Dock::kCenter, Dock::kHidden},
    .draw = draw,
    .draw_header = draw_header,
};

}  // namespace tilescope
