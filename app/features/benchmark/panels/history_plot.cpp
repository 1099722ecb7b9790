#include "app/features/benchmark/panels/history_plot.h"

#include <implot/implot.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/features/benchmark/panels/best_tiles.h"
#include "app/kit/legend.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/known_results.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

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

/// Timed points are joined by a line, modelled ones by dashes; each has the mark of how it is
/// known.
void history_lines(AppContext& context, const AppState& state,
                   const std::vector<const HistoryPoint*>& shown, double per_tflops) {
  const Theme& theme = *context.theme;
  std::vector<double> xs, ys;
  std::vector<ImPlotPoint> modelled;
  for (size_t i = 0; i < shown.size(); ++i) {
    const double x = static_cast<double>(i), y = *shown[i]->tflops * per_tflops;
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
    const Standing standing = shown[i]->standing;
    using Mark = LegendKey::Mark;
    const Mark mark = standing == Standing::measured   ? Mark::measured
                      : standing == Standing::recorded ? Mark::recorded
                                                       : Mark::modelled;
    const ImVec2 at = ImPlot::PlotToPixels(static_cast<double>(i), *shown[i]->tflops * per_tflops);
    standing_mark(ImPlot::GetPlotDrawList(), theme, at,
                  (is_of_present(state, *shown[i]) ? 5.0f : 3.5f) * context.scale, mark,
                  theme.accent);
  }
}

/// A line over the whole plot, with its name above it at the left, below where there is no room.
void level_line(const AppContext& context, const std::string& name, double level, double right,
                Color color) {
  ImDrawList* draw = ImPlot::GetPlotDrawList();
  const ImVec2 a = ImPlot::PlotToPixels(-0.5, level), b = ImPlot::PlotToPixels(right, level);
  ImPlot::PushPlotClipRect();
  draw->AddLine(a, b, to_imgui(color), context.scale);
  const float line = ImGui::GetTextLineHeight(), top = ImPlot::GetPlotPos().y;
  const std::string text = elide(name, b.x - a.x - 12 * context.scale);
  const float y = a.y - line - 1 < top ? a.y + 1 : a.y - line - 1;
  draw->AddText({a.x + 6 * context.scale, y}, to_imgui(context.theme->dim), text.c_str());
  ImPlot::PopPlotClipRect();
}

struct Level {
  std::string name;
  double tflops = 0;
  bool library = false;
};

/// What a point is compared with: the library's speed and the pins, each by its name.
std::vector<Level> levels_of(const AppState& state) {
  std::vector<Level> levels;
  if (const auto library = library_of(state, state.edit.problem)) {
    levels.push_back({(library->name.empty() ? tr("library") : library->name) + " " +
                          model::rate_text(library->tflops),
                      library->tflops, true});
  }
  for (const Baseline& b : state.pinned) {
    if (b.point.tflops) {
      levels.push_back({wording("pinned: {} {}", b.name, model::rate_text(*b.point.tflops)),
                        *b.point.tflops, false});
    }
  }
  return levels;
}

}  // namespace

void history_plot(AppContext& context, AppState& state, ImVec2 whole) {
  ImVec2 size = whole;
  const Theme& theme = *context.theme;
  const std::vector<const HistoryPoint*> shown = shown_history(state);
  if (shown.empty()) {
    ImGui::BeginChild("##no_history", size);
    empty_panel(context, "No history of this problem yet",
                state.edit.own()
                    ? "Each GEMM of your own that a card has timed adds a point here; every size "
                      "and device has a history of its own."
                    : "Each position of the sliders that has run adds a point here; every problem "
                      "and device has a history of its own.");
    ImGui::EndChild();
    return;
  }
  double top = 0;
  for (const HistoryPoint* p : shown) top = std::max(top, *p->tflops);
  // A point at a hundredth of the library would lie on the axis: then the library stays out of
  // sight.
  constexpr double kMostBeyond = 20;
  std::vector<Level> levels = levels_of(state);
  std::erase_if(levels, [&](const Level& l) { return l.tflops > kMostBeyond * top; });
  for (const Level& level : levels) top = std::max(top, level.tflops);
  const model::RateUnit unit = model::rate_unit(top);
  top *= unit.per_tflops;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImPlot::PushStyleColor(ImPlotCol_PlotBg, ImVec4(0, 0, 0, 0));
  ImPlot::PushStyleColor(ImPlotCol_FrameBg, ImVec4(0, 0, 0, 0));
  ImPlot::PushStyleColor(ImPlotCol_AxisGrid, to_vec4(theme.border));
  ImPlot::PushStyleVar(ImPlotStyleVar_PlotPadding, {4 * context.scale, 4 * context.scale});
  const bool has_legend = size.y > 110 * context.scale && size.x > 190 * context.scale;
  if (has_legend) size.y -= ImGui::GetFrameHeight();
  ImGui::BeginGroup();
  const bool is_low = ImGui::CalcTextSize(unit.name).x > size.y - 34 * context.scale;
  constexpr ImPlotFlags kFlags = ImPlotFlags_NoLegend | ImPlotFlags_NoMenus |
                                 ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText;
  if (ImPlot::BeginPlot("##history", size, kFlags)) {
    ImPlot::SetupAxes(
        tr("edits, oldest first"), unit.name,
        ImPlotAxisFlags_NoTickLabels | ImPlotAxisFlags_NoGridLines | ImPlotAxisFlags_NoHighlight,
        // A name longer than the axis would stand on what is above.
        ImPlotAxisFlags_NoHighlight | (is_low ? ImPlotAxisFlags_NoLabel : 0));
    const double right = static_cast<double>(shown.size()) - 0.5;
    ImPlot::SetupAxesLimits(-0.5, right, 0, top > 0 ? top * 1.15 : 1, ImPlotCond_Always);
    for (const Level& level : levels) {
      level_line(context, level.name, level.tflops * unit.per_tflops, right,
                 level.library ? theme.dim : theme.b);
    }
    history_lines(context, state, shown, unit.per_tflops);
    if (ImPlot::IsPlotHovered() && !context.rendering) {
      const long index = std::lround(ImPlot::GetPlotMousePos().x);
      if (index >= 0 && index < static_cast<long>(shown.size())) {
        const HistoryPoint& p = *shown[static_cast<size_t>(index)];
        const std::string what = p.edit.own() ? p.size : p.edit.rung().kernel;
        // Of a file that was saved since there is no way back.
        const bool gone = same_request(p.edit, state.edit) && !is_of_present(state, p);
        ImGui::SetTooltip(
            "%s\n%s: %s%s, %s\n%s", what.c_str(), p.label.c_str(), is_timed(p.standing) ? "" : "~",
            model::rate_text(*p.tflops).c_str(), standing_text(p).c_str(),
            gone ? tr("the file was another one then") : tr("click to go back to it"));
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) set_edit(state, Edit(p.edit));
      }
    }
    ImPlot::EndPlot();
  }
  ImPlot::PopStyleVar();
  ImPlot::PopStyleColor(3);
  if (has_legend) standing_legend(context);
  ImGui::EndGroup();
  ImGui::PopFont();
}

}  // namespace tilescope::widgets
