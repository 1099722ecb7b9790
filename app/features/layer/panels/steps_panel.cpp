// Steps: what a layer consists of, one row per step: its GEMM, the rung and tile for it, bytes,
// times.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_times.h"
#include "app/features/layer/layer_view.h"
#include "app/features/layer/panels/layer_parts.h"
#include "app/kit/table_cells.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "viz/scene/layer/layer_words.h"

namespace tilescope {
namespace {

using namespace widgets;
using workload::Step;
using workload::StepKind;

struct Column {
  const char* name;
  const char* tip;
  float width;  // pixels at scale 1
  bool right = true;
};
constexpr Column kColumns[] = {
    {"step", "In the order in which they are started", 150, false},
    {"M", "Rows of the product that rank 0 computes, all its chunks", 48},
    {"N", "Its columns", 48},
    {"K", "Length of its dot products", 48},
    {"layout", "T row-major, N column-major, of both operands; else the types of what is added", 62,
     false},
    {"rung", "The kernel that the model finds fastest for this product", 108, false},
    {"tile", "Its tile, found by climbing from each rung's default", 120, false},
    {"", "Of a rank", 48},
    {"least bytes", "Each operand read once and the result written", 62},
    {"between", "That each rank sends and receives", 62},
    {"modelled ms", "By itself, all chunks, the slowest rank", 66},
    {"measured ms", "The same on the card, nothing beside it", 68},
    {"error", "The model against the measurement", 48},
    {"TFLOPS", "Of a rank: measured where it was, else modelled", 46},
};
constexpr size_t kFlopColumn = 7;

/// A figure with a bar below it: dashed modelled, solid measured.
void time_cell(const AppContext& context, double us, double most, bool modelled) {
  if (us <= 0) return right_text(context, "–", tone_color(context, Tone::dim));
  const float s = context.scale, width = std::min(60 * s, ImGui::GetContentRegionAvail().x);
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  right_text(context, fmt::format("{}{:.3f}", modelled ? "~" : "", us / 1e3),
             tone_color(context, Tone::plain));
  const float length = most > 0 ? width * static_cast<float>(us / most) : 0;
  const float x = right - width, y = ImGui::GetItemRectMax().y;
  const ImU32 color = to_imgui(context.theme->accent);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  if (!modelled) return draw->AddRectFilled({x, y}, {x + length, y + 2 * s}, color);
  for (float at = 0; at < length; at += 5 * s) {
    draw->AddRectFilled({x + at, y}, {x + std::min(at + 3.5f * s, length), y + 2 * s}, color);
  }
}

/// "~531.3" of a rank; nothing is known of 0 µs.
std::string tflops_words(double flop, double us, bool measured) {
  if (flop <= 0 || us <= 0) return "–";
  const double tflops = flop / us * 1e-6;
  return (measured ? "" : "~") +
         (tflops < 10 ? fmt::format("{:.2f}", tflops) : model::four_digits(tflops));
}

/// Lower where the panel is.
float row_height(const AppContext& context) {
  const bool low = ImGui::GetWindowHeight() < 170 * context.scale;
  return ImGui::GetTextLineHeight() + (low ? 4 : 7) * context.scale;
}

struct Rows {
  const AppState& state;
  workload::Workload w;
  const LayerModel* model = nullptr;
  LayerTimes modelled, measured;
  double most_us = 0;
  viz::FlopUnit unit = {};  // of all rows
};

Rows rows_of(const AppState& state, const workload::Layer& layer) {
  Rows rows{state,
            make_workload(layer),
            layer_model(state),
            modelled_times(state),
            measured_times(state),
            0,
            {}};
  double flop = 0;
  for (const Step& step : rows.w.steps) flop = std::max(flop, flop_of(rows.w, step, 0));
  rows.unit = viz::flop_unit(flop);
  for (const LayerTimes* times : {&rows.modelled, &rows.measured}) {
    for (const double us : times->steps_us) rows.most_us = std::max(rows.most_us, us);
  }
  return rows;
}

double at(const std::vector<double>& all, size_t i) { return i < all.size() ? all[i] : 0; }

std::string error_words(double modelled, double measured) {
  const std::optional<double> error = model_error(modelled, measured);
  constexpr double kFar = 9.99;  // beyond it is a factor
  if (error && *error > kFar) return fmt::format("×{}", model::four_digits(*error + 1));
  return error ? fmt::format("{}{:.1f} %", *error < 0 ? "−" : "+", std::abs(*error) * 100) : "–";
}

/// Rung, tile and layout, or what stands for them where there is no GEMM.
struct How {
  std::string layout, rung, tile;
};
How how_of(const Rows& rows, size_t i) {
  const Step& step = rows.w.steps[i];
  if (step.kind == StepKind::gemm) {
    const std::string layout = model::layout_letters(problem_of(rows.w, step, 0));
    // Of an illegal choice nobody is asked.
    if (!rows.model) return {layout, rows.w.layer == chosen_layer(rows.state) ? "…" : "–", ""};
    const LayerStep& planned = rows.model->plan.steps[i];
    if (!planned.choice.kernel) return {layout, "no rung", planned.why_not};
    const KernelInfo& info = planned.choice.kernel->info;
    return {layout, fmt::format("{:02} {}", info.number, info.id), step_tile(planned)};
  }
  const auto type = [&](int m) {
    return model::name_of(rows.w.matrices[static_cast<size_t>(m)].type);
  };
  const int rows_in_chunk = chunk_rows(rows.w, step, 0, 0).count;
  const std::string types =
      is_collective(step) ? type(step.c) : fmt::format("{} → {}", type(step.a), type(step.c));
  if (!is_collective(step)) return {types, viz::words_of(step.kind), ""};
  return {types, step.chunks > 1 ? wording("{} chunks", step.chunks) : std::string("at once"),
          step.chunks > 1 ? wording("{} rows per chunk", model::grouped(rows_in_chunk)) : ""};
}

void step_row(AppContext& context, AppState& state, const Rows& rows, size_t i) {
  const Step& step = rows.w.steps[i];
  const ImVec4 plain = tone_color(context, Tone::plain), dim = tone_color(context, Tone::dim);
  const int number = static_cast<int>(i);
  ImGui::TableNextRow(0, row_height(context));
  ImGui::TableNextColumn();
  if (number == chosen_step(state)) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, to_imgui(context.theme->accent_ground));
  }
  const ImVec2 place = ImGui::GetCursorScreenPos();
  if (ImGui::Selectable(fmt::format("##step_{}", number).c_str(),
                        state.of<LayerView>().hover_before == number,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap,
                        {0, row_height(context) - 4 * context.scale})) {
    choose_step(state, number);
  }
  if (ImGui::IsItemHovered()) hover_step(context, number);
  ImGui::SetCursorScreenPos(place);
  formula_text(context, fmt::format("{}  {}", number + 1, step.name));
  const bool gemm = step.kind == StepKind::gemm;
  const Problem p = gemm ? problem_of(rows.w, step, 0) : Problem{};
  const auto figure = [&](const std::string& text) {
    ImGui::TableNextColumn();
    right_text(context, text, text == "–" ? dim : plain);
  };
  for (const int extent : {p.m, p.n, p.k}) figure(gemm ? model::grouped(extent) : "–");
  const How how = how_of(rows, i);
  for (const std::string& text : {how.layout, how.rung, how.tile}) {
    ImGui::TableNextColumn();
    elided(context, text, gemm ? Tone::plain : Tone::dim);
  }
  const double flop = flop_of(rows.w, step, 0), between = bytes_between_ranks(rows.w, step);
  figure(gemm ? model::four_digits(flop / rows.unit.flop) : "–");
  figure(model::bytes_text(least_bytes(rows.w, step, 0)));
  figure(between > 0 ? model::bytes_text(between) : "–");
  const double modelled = at(rows.modelled.steps_us, i), measured = at(rows.measured.steps_us, i);
  ImGui::TableNextColumn();
  time_cell(context, modelled, rows.most_us, true);
  ImGui::TableNextColumn();
  time_cell(context, measured, rows.most_us, false);
  figure(error_words(modelled, measured));
  const double best = measured > 0 ? measured : modelled;
  figure(tflops_words(gemm ? flop : 0, best, measured > 0));
}

void total_row(AppContext& context, const Rows& rows) {
  const ImVec4 plain = tone_color(context, Tone::plain), dim = tone_color(context, Tone::dim);
  double flop = 0, between = 0;
  for (const Step& step : rows.w.steps) {
    if (step.kind == StepKind::gemm) flop += flop_of(rows.w, step, 0);
    between += bytes_between_ranks(rows.w, step);
  }
  const double modelled = rows.modelled.total_us, measured = rows.measured.total_us;
  const double best = measured > 0 ? measured : modelled;
  const auto ms = [](double us, const char* sign) {
    return us > 0 ? fmt::format("{}{:.3f}", sign, us / 1e3) : std::string("–");
  };
  const std::string name = rows.w.layer.ranks == 1 ? "layer"
                           : rows.w.layer.overlap  ? "layer, with overlap"
                                                   : "layer, nothing overlaps";
  const std::string cells[] = {"",
                               "",
                               "",
                               "",
                               "",
                               "",
                               model::four_digits(flop / rows.unit.flop),
                               "",
                               between > 0 ? model::bytes_text(between) : "–",
                               ms(modelled, "~"),
                               ms(measured, ""),
                               error_words(modelled, measured),
                               tflops_words(flop, best, measured > 0)};
  ImGui::TableNextRow(0, row_height(context));
  ImGui::TableNextColumn();
  ImGui::PushFont(context.fonts.bold, Fonts::kLabel);
  elided(context, name);
  ImGui::PopFont();
  for (const std::string& cell : cells) {
    ImGui::TableNextColumn();
    right_text(context, cell, cell == "–" ? dim : plain);
  }
}

void heads(AppContext& context, const viz::FlopUnit& unit) {
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const Column& column : kColumns) {
    ImGui::TableNextColumn();
    const char* const name = &column == &kColumns[kFlopColumn] ? unit.name : column.name;
    if (column.right) {
      right_text(context, name, tone_color(context, Tone::dim));
    } else {
      elided(context, name, Tone::dim);
    }
    tooltip(context, column.tip);
  }
  ImGui::PopFont();
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  state.of<LayerView>().wanted = true;
  if (!layer_to_show(context)) return;
  const Rows rows = rows_of(state, *shown_layer(state));
  const bool stale = !(*shown_layer(state) == chosen_layer(state));
  if (stale) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.5f);
  ImGui::PushFont(context.fonts.text, Fonts::kLabel);
  const int count = static_cast<int>(std::size(kColumns));
  float wanted = 0;
  const float pad = 2 * ImGui::GetStyle().CellPadding.x;
  for (const Column& column : kColumns) wanted += column.width * context.scale + pad;
  // Narrower than that it scrolls; what there is more, all columns share.
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
  const float factor = std::clamp(room / wanted, 0.92f, 1.9f);
  if (ImGui::BeginTable("layer_steps", count,
                        ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                            ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit)) {
    for (const Column& column : kColumns) {
      ImGui::TableSetupColumn(column.tip, ImGuiTableColumnFlags_WidthFixed,
                              (column.width * context.scale + pad) * factor - pad);
    }
    ImGui::TableSetupScrollFreeze(1, 1);
    heads(context, rows.unit);
    for (size_t i = 0; i < rows.w.steps.size(); ++i) step_row(context, state, rows, i);
    total_row(context, rows);
    ImGui::EndTable();
  }
  ImGui::PopFont();
  if (stale) ImGui::PopStyleVar();
}

void draw_header(AppContext& context) {
  const workload::Layer* layer = shown_layer(*context.state);
  if (!layer) return;
  elided(context,
         wording("rank 0 of {} · a click opens a step's rung and tile in the other panels",
                 layer->ranks),
         Tone::dim);
}

constexpr Gesture kGestures[] = {
    {"click on a row", "its GEMM, rung and tile open in the other panels"},
};

}  // namespace

extern const Panel steps_panel = {
    .id = "steps",
    .title = "Steps",
    .docks = {.layer = Dock::kBottomLeft},
    .draw = draw,
    .draw_header = draw_header,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
