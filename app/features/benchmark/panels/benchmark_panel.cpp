// Live benchmark: one large figure with its spread and its standing, what stands beside it, the
// history of edits, pinned baselines, the best tiles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/features/benchmark/benchmark_view.h"
#include "app/features/benchmark/facts.h"
#include "app/features/benchmark/panels/best_tiles.h"
#include "app/features/benchmark/panels/history_plot.h"
#include "app/kit/core/failure.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/present.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using namespace widgets;

/// Green and blue are of what stands now, and of work that has not failed.
Tone tone_of(Standing s, bool whole) {
  if (!whole || s == Standing::none) return Tone::dim;
  return s == Standing::measured ? Tone::ok : Tone::accent;
}

/// The large figure: TFLOPS, or the time of one launch of what is no GEMM.
struct LargeFigure {
  std::string text, unit;
  bool known = false;
};
LargeFigure large_figure(const AppState& state, const HistoryPoint& point) {
  if (point.tflops) {
    const model::RateUnit rate = model::rate_unit(*point.tflops);
    return {(point.standing == Standing::modelled ? "~" : "") +
                model::four_digits(*point.tflops * rate.per_tflops),
            rate.name, true};
  }
  if (point.time_us) {
    const std::string text = model::time_text(*point.time_us);
    const size_t blank = text.find(' ');
    return {text.substr(0, blank), blank == text.npos ? "" : text.substr(blank + 1), true};
  }
  return {state.edit.own() ? "not measured" : "no figure", "", false};
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
      return wording("compiling {:.0f} ms", ms);
    case Stage::tracing:
      return "tracing";
    case Stage::emulating:
      return wording("emulating {:.0f} %", r.emulate_done * 100);
    case Stage::checking:
      return "checking all of k";
    case Stage::measuring:
      return r.measured
                 ? wording("measuring {} of {}", r.measured->samples, r.measured->samples_planned)
                 : tr("measuring");
    case Stage::idle:
    case Stage::done:
    case Stage::failed:
      break;
  }
  return {};
}

Tone tone_of(StatusItem::Kind kind) {
  switch (kind) {
    case StatusItem::Kind::kDim:
      return Tone::dim;
    case StatusItem::Kind::kOk:
      return Tone::ok;
    case StatusItem::Kind::kWarning:
      return Tone::warning;
    case StatusItem::Kind::kPlain:
      break;
  }
  return Tone::plain;
}

void figure(AppContext& context, AppState& state, const HistoryPoint& point, bool stale) {
  const Theme& theme = *context.theme;
  const float s = context.scale;
  const float height = ImGui::GetContentRegionAvail().y;
  const bool low = height < 200 * s;
  const LargeFigure large = large_figure(state, point);
  const std::string& text = large.text;
  // A dash in the size of a figure would look like a mistake.
  const float size = !large.known ? Fonts::kFigure / 2 : low ? 32 : Fonts::kFigure;
  const float unit = large.known ? ImGui::CalcTextSize(large.unit.c_str()).x + 10 * s : 0;
  const float room = std::max(20 * s, ImGui::GetContentRegionAvail().x - unit);
  ImGui::BeginGroup();
  ImGui::PushFont(context.fonts.bold, size);
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  ImGui::PopFont();
  ImGui::PushFont(context.fonts.bold, width > room ? size * room / width : size);
  ImGui::PushStyleColor(
      ImGuiCol_Text,
      to_vec4(stale || !large.known || point.standing == Standing::modelled ? theme.dim
                                                                            : theme.text));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  const ImVec2 end = ImGui::GetItemRectMax();
  const ImVec2 begin = ImGui::GetItemRectMin();
  ImGui::SameLine(0, 6 * s);
  ImGui::SetCursorScreenPos({end.x + 6 * s, begin.y + (end.y - begin.y) * 0.18f});
  ImGui::BeginGroup();
  ImGui::TextUnformatted(large.unit.c_str());
  if (const auto& measured = present_results(state).measured;
      measured && measured->spread && !stale) {
    elided(context, fmt::format("± {:.1f} %", *measured->spread * 100), Tone::dim,
           std::min(70 * s, ImGui::GetContentRegionAvail().x));
  }
  ImGui::EndGroup();
  const float below = std::max(end.y, ImGui::GetItemRectMax().y + 2 * s);
  ImGui::SetCursorScreenPos({begin.x, below});
  badge(context, standing_text(point), tone_of(point.standing, !stale && !has_failed(state)),
        point.standing == Standing::modelled
            ? "By the model, from the kernel's plan and this GPU's rates; no GPU was asked."
        : point.older_kernel
            ? "The kernel's code has changed since it was recorded: what runs now may be faster or "
              "slower."
            : nullptr);
  beside(4 * s, 60 * s);
  badge(context, point.device.empty() ? state.gpu.name : point.device, Tone::dim);
  ImGui::EndGroup();
}

void fact_grid(AppContext& context, const std::vector<Fact>& facts) {
  const float least = 56 * context.scale;  // of a figure with its unit
  const int columns = std::clamp(static_cast<int>(ImGui::GetContentRegionAvail().x / least), 1, 3);
  if (!ImGui::BeginTable("facts", columns, ImGuiTableFlags_SizingStretchSame)) return;
  for (const Fact& fact : facts) {
    ImGui::TableNextColumn();
    if (*fact.command != 0) {
      const ImVec2 at = ImGui::GetCursorPos();
      const ImVec2 size{ImGui::GetContentRegionAvail().x,
                        2 * ImGui::GetTextLineHeightWithSpacing()};
      if (ImGui::InvisibleButton(fact.command, size, ImGuiButtonFlags_EnableNav)) {
        context.commands.request(fact.command);
      }
      if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      tooltip(context, fact.tip);
      ImGui::SetCursorPos(at);
    }
    ImGui::PushFont(context.fonts.bold, Fonts::kText);
    elided(context, fact.figure, tone_of(fact.kind));
    ImGui::PopFont();
    ImGui::PushFont(context.fonts.text, Fonts::kCaption);
    elided(context, fact.caption, Tone::dim);
    tooltip(context, fact.tip);
    ImGui::PopFont();
  }
  ImGui::EndTable();
}

void draw_header(AppContext& context) {
  AppState& state = *context.state;
  const std::string doing = activity(state);
  const auto button = [&context](const char* label, const char* command, const char* tip) {
    return HeaderItem{small_button_width(label), [&context, label, command, tip] {
                        if (ImGui::SmallButton(tr_id(label))) context.commands.request(command);
                        tooltip(context, tip);
                      }};
  };
  if (doing.empty()) {
    const HeaderItem items[] = {
        button("Run again", "run.again", "Compile, verify and measure it once more (F5)"),
        button("Pin", "edit.pin", "Keep this result as a line in the plot")};
    return header_row(context, items);
  }
  const HeaderItem stop[] = {button("Stop", "run.stop", "Stops what is running (Escape)")};
  const float room = ImGui::GetContentRegionAvail().x - stop[0].width - 8 * context.scale;
  if (room <= 24 * context.scale) return header_row(context, stop);
  elided(context, doing, Tone::dim, std::min(room, 130 * context.scale));
  ImGui::SameLine();
  stop[0].draw();
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  const float s = context.scale;
  const bool own = state.edit.own() != nullptr;
  const bool illegal = !own && !state.derived.legal();
  HistoryPoint point = point_of(state);
  const std::vector<const HistoryPoint*> shown = shown_history(state);
  if (illegal && !shown.empty()) point = *shown.back();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool stacked = width < 230 * s;  // beside each other neither would have room
  const float left = stacked ? width : std::min(width * 0.42f, 210 * s);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  ImGui::BeginChild("##figure", {left, 0}, ImGuiChildFlags_AutoResizeY);
  figure(context, state, point, illegal);
  ImGui::EndChild();
  float bottom = ImGui::GetItemRectMax().y;
  const ImVec2 facts =
      stacked ? ImVec2{top.x, bottom + 4 * s} : ImVec2{top.x + left + 8 * s, top.y};
  ImGui::SetCursorScreenPos(facts);
  ImGui::BeginChild("##facts", {top.x + width - facts.x, 0}, ImGuiChildFlags_AutoResizeY);
  if (illegal) {
    ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->warning));
    ImGui::TextWrapped("%s", tr("cannot measure: the tile is illegal"));
    ImGui::PopStyleColor();
    if (state.derived.nearest &&
        ImGui::Button((elide(wording("nearest legal: {}", state.derived.nearest_label),
                             ImGui::GetContentRegionAvail().x - 16 * s) +
                       "###nearest_legal")
                          .c_str())) {
      context.commands.request("edit.nearest");
    }
    if (!shown.empty())
      elided(context, wording("left: the last legal tile, {}", point.label), Tone::dim);
  } else {
    fact_grid(context, facts_of(state, point));
  }
  ImGui::EndChild();
  bottom = std::max(bottom, ImGui::GetItemRectMax().y);
  ImGui::SetCursorScreenPos({top.x, bottom + 4 * s});
  ImGui::Dummy({0, 0});
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool elsewhere = !state.error_place.empty() || state.error_place_before == "Timeline";
  if (!state.results.error.empty() &&
      !elsewhere) {  // instead of the history, which it would squash
    ImGui::BeginChild("##failed", {room.x, std::max(room.y, 40 * s)});
    failure_box(context, state, "Live benchmark");
    ImGui::EndChild();
    return;
  }
  if (room.y < 40 * s) return;
  if (own) return history_plot(context, state, room);  // it has no tiles
  if (room.x > 420 * s && room.y > 90 * s) {
    const float plot = std::floor(room.x * 0.52f);
    history_plot(context, state, {plot, room.y});
    ImGui::SameLine(0, 8 * s);
    best_tiles(context, state, {room.x - plot - 8 * s, room.y});
    return;
  }
  if (room.y > 380 * s) {  // tall: one above the other
    const float table = std::floor(room.y * 0.5f);
    best_tiles(context, state, {room.x, table});
    history_plot(context, state, {room.x, room.y - table - 8 * s});
    return;
  }
  static constexpr const char* kTabs[] = {"history", "best tiles"};
  int& tab = state.of<BenchmarkView>().tab;
  segmented(context, "bench_tab", kTabs, &tab);
  const ImVec2 rest = ImGui::GetContentRegionAvail();
  if (tab == 0) {
    history_plot(context, state, rest);
  } else {
    best_tiles(context, state, rest);
  }
}

constexpr Gesture kGestures[] = {
    {"click on a point or a tile", "goes back to it"},
    {"click on a column's head", "sorts by it"},
};

}  // namespace

extern const Panel benchmark_panel = {
    .id = "benchmark",
    .title = "Live benchmark",
    .docks = {Dock::kBottomLeft, Dock::kHidden, Dock::kRightTop, Dock::kHidden},
    .draw = draw,
    .draw_header = draw_header,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
