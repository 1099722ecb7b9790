// Workload: which layer, over how many ranks; what a rank holds; its run and what came of it.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_presets.h"
#include "app/features/layer/layer_times.h"
#include "app/features/layer/layer_view.h"
#include "app/features/layer/panels/layer_parts.h"
#include "app/features/layer/panels/layer_run.h"
#include "app/kit/core/extent_fields.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "viz/scene/layer/formula.h"

namespace tilescope {
namespace {

using namespace widgets;
using workload::kLayerKinds;
using workload::Layer;
using workload::LayerKind;

constexpr int kRanks[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64};
constexpr int kChunks[] = {1, 2, 4, 8, 16, 32, 64};
static_assert(kRanks[std::size(kRanks) - 1] == workload::kMostRanks);
static_assert(kChunks[std::size(kChunks) - 1] == workload::kMostChunks);

/// Parts stand apart where the panel is high enough.
void part(const AppContext& context, const char* title, std::string_view right = {}) {
  if (ImGui::GetWindowHeight() > 860 * context.scale) ImGui::Dummy({0, 4 * context.scale});
  heading(context, title, right);
}

/// Words that wrap, in the size of a caption.
void caption(const AppContext& context, const std::string& text, Tone tone = Tone::dim) {
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::PushStyleColor(ImGuiCol_Text, tone_color(context, tone));
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void kind(AppContext& context, AppState& state) {
  part(context, "KIND");
  std::vector<const char*> labels;
  int chosen = 0;
  for (const LayerKind one : kLayerKinds) {
    if (one == chosen_layer(state).kind) chosen = static_cast<int>(labels.size());
    labels.push_back(name_of(one));
  }
  if (segmented(context, "layer_kind", labels, &chosen, ImGui::GetContentRegionAvail().x)) {
    Layer layer = chosen_layer(state);
    layer.kind = kLayerKinds[chosen];
    // Of the other kinds there is nothing to gather.
    layer.gather = layer.gather && can_gather(layer.kind);
    set_layer(state, layer);
  }
  caption(context, split_words(chosen_layer(state).kind));
}

void shapes(AppContext& context, AppState& state) {
  part(context, "SHAPES", "f16, sums in f32");
  const LayerPreset* now = preset_of(chosen_layer(state));
  ImGui::SetNextItemWidth(-FLT_MIN);
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() -
                     2 * ImGui::GetStyle().FramePadding.x;
  const std::string shown = elide(now ? now->name : "presets", room);
  if (ImGui::BeginCombo("##layer_presets", shown.c_str(), ImGuiComboFlags_HeightLargest)) {
    for (const LayerPreset& preset : layer_presets()) {
      if (ImGui::Selectable(tr_id(preset.name), &preset == now)) {
        set_layer(state, with_preset(chosen_layer(state), preset));
      }
      tooltip(context, preset.source);
    }
    ImGui::EndCombo();
  }
  tooltip(context, now ? now->source : "Layers of well-known networks; tokens and split stay");
  struct Field {
    ExtentField field;
    int Layer::*extent;
  };
  static Field fields[] = {
      {{"tokens", "Rows of X: all tokens of a step, 1 to 1,048,576"}, &Layer::tokens},
      {{"in", "Features of X, 1 to 1,048,576"}, &Layer::in},
      {{"out", "Features of Y; of an mlp those between its two products, 1 to 1,048,576"},
       &Layer::out}};
  const float label = 56 * context.scale;
  std::vector<std::string> refused;
  for (Field& one : fields) {
    Layer layer = chosen_layer(state);
    const float width = ImGui::GetContentRegionAvail().x;
    if (extent_field(context, one.field, &(layer.*one.extent), label, width)) {
      set_layer(state, layer);
    }
    if (refused.empty()) refused = refused_extent(one.field, chosen_layer(state).*one.extent);
  }
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  note_line(context, refused, Tone::warning);
  ImGui::PopFont();
}

void split(AppContext& context, AppState& state) {
  part(context, "SPLIT");
  const bool illegal = !why_not(chosen_layer(state)).empty();
  const auto slider = [&](const ValueSlider& s, int Layer::*member) {
    Layer layer = chosen_layer(state);
    std::string said;
    if (value_slider(context, s, &(layer.*member), &said)) {
      set_layer(state, layer, last_slider_id());
    }
    if (!said.empty()) say(state, said);
  };
  slider({"layer_ranks", "ranks P", kRanks, illegal, "Processes that share the layer, a card each"},
         &Layer::ranks);
  slider({"layer_chunks", "chunks", kChunks, illegal,
          "Parts that a product is cut into whose result is added over the ranks: the sum of one "
          "runs beside the next one's product"},
         &Layer::chunks);
  Layer layer = chosen_layer(state);
  ImGui::BeginDisabled(!can_gather(layer.kind) && !layer.gather);
  if (ImGui::Checkbox(tr_id("gather Y on every rank"), &layer.gather)) set_layer(state, layer);
  ImGui::EndDisabled();
  tooltip(context, "Of a column layer: an all-gather puts Y together on every rank");
  if (ImGui::Checkbox(tr_id("overlap transfers"), &layer.overlap)) set_layer(state, layer);
  tooltip(context, "Sums over ranks run beside the products that follow them; else by themselves");
  if (!illegal) return;
  const std::string why = why_not(chosen_layer(state)) + ".";
  error_box(context, "layer_illegal", why, "");
}

void holds(AppContext& context, const workload::Workload& w) {
  const double all = held_bytes(w, 0);
  part(context, "RANK 0 HOLDS", model::bytes_text(all));
  double most = 1;
  for (size_t i = 0; i < w.matrices.size(); ++i) {
    most = std::max(most, held_bytes(w, static_cast<int>(i), 0));
  }
  for (size_t i = 0; i < w.matrices.size(); ++i) {
    const workload::Matrix& m = w.matrices[i];
    if (m.shares >= 0) continue;
    const double bytes = held_bytes(w, static_cast<int>(i), 0);
    const workload::Slice slice = slice_of(w, static_cast<int>(i), 0);
    const std::string tip =
        fmt::format("{}: {} × {} {}{}", m.name, model::grouped(slice.rows.count),
                    model::grouped(slice.cols.count), element_bytes(m.type) == 2 ? "f16" : "f32",
                    m.split == workload::Split::whole
                        ? ""
                        : wording(", of {} × {}", model::grouped(m.rows), model::grouped(m.cols)));
    meter(context,
          {m.name.c_str(), model::bytes_text(bytes), static_cast<float>(bytes / most), 0, false,
           tip.c_str()},
          true);
  }
}

/// Shares of the wall time, which add up to all of it: what travels beside products has none.
void shares_of_wall(AppContext& context, const workload::Workload& w, const LayerTimes& times) {
  const WallTime wall = wall_time(w, times.bars);
  if (wall.whole_us <= 0) return;
  const char* sign = times.standing == Standing::measured ? "" : "~";
  const auto percent = [&](double us) {
    return fmt::format("{}{:.1f} %", sign, us / wall.whole_us * 100);
  };
  const auto time = [&](double us) { return sign + model::time_text(us); };
  double most = wall.waiting_us, alone = 0, beside = 0;
  for (size_t i = 0; i < w.steps.size(); ++i) {
    const WallShare& share = wall.steps[i];
    most = std::max(most, share.us + share.beside_us);
    beside += share.beside_us;
    if (is_collective(w.steps[i])) alone += share.us;
  }
  const auto part_of = [&](double us) { return static_cast<float>(us / most); };
  for (size_t i = 0; i < w.steps.size(); ++i) {
    const WallShare& share = wall.steps[i];
    if (share.us + share.beside_us <= 0) continue;
    const std::string name = result_name(w, w.steps[i]);
    std::string tip = wording("{}: {} of the wall time", w.steps[i].name, time(share.us));
    if (share.beside_us > 0) {
      tip += wording("\nHatched: {} more beside products, {} of the time, in no sum",
                     time(share.beside_us), percent(share.beside_us));
    }
    tip += "\n" + step_words(*context.state, static_cast<int>(i));
    meter(context,
          {.label = name.c_str(),
           .value = percent(share.us),
           .fraction = part_of(share.us),
           .tooltip = tip.c_str(),
           .hatched = part_of(share.beside_us)},
          true);
    if (ImGui::IsItemHovered()) context.state->of<LayerView>().hover = static_cast<int>(i);
  }
  if (wall.waiting_us > 0.0005 * wall.whole_us) {
    meter(context,
          {.label = "waiting",
           .value = percent(wall.waiting_us),
           .fraction = part_of(wall.waiting_us),
           .tooltip = "Nothing runs: launches, and transfers that wait for SMs"},
          true);
  }
  if (w.layer.ranks == 1) return;
  caption(context, alone <= 0 ? "All transfers run beside products: hatched, in no share."
                   : beside <= 0
                       ? "No transfer runs beside a product."
                       : wording("Transfers run alone for {}; hatched: those beside products, "
                                 "in no share.",
                                 time(alone)));
}

/// Of a run without a time line: the steps by themselves.
void shares_of_steps(AppContext& context, const workload::Workload& w, const LayerTimes& times) {
  double most = 0, all = 0;
  for (const double us : times.steps_us) most = std::max(most, us), all += us;
  if (most <= 0) return;
  const char* sign = times.standing == Standing::measured ? "" : "~";
  for (size_t i = 0; i < times.steps_us.size() && i < w.steps.size(); ++i) {
    const double us = times.steps_us[i];
    if (us <= 0) continue;
    const std::string name = result_name(w, w.steps[i]);
    const std::string tip =
        wording("{}: {}{}, by itself", w.steps[i].name, sign, model::time_text(us));
    meter(context,
          {.label = name.c_str(),
           .value = fmt::format("{}{:.1f} %", sign, us / all * 100),
           .fraction = static_cast<float>(us / most),
           .tooltip = tip.c_str()},
          true);
    if (ImGui::IsItemHovered()) context.state->of<LayerView>().hover = static_cast<int>(i);
  }
  caption(context, "Of the steps by themselves, one after the other.");
}

void where_time_goes(AppContext& context, const AppState& state, const workload::Workload& w) {
  const LayerTimes times = best_times(state);
  if (times.standing == Standing::none) return;
  part(context, "WHERE THE TIME GOES",
       times.standing == Standing::measured ? "measured" : "modelled");
  if (times.bars.empty()) return shares_of_steps(context, w, times);
  shares_of_wall(context, w, times);
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  state.of<LayerView>().wanted = true;
  const float s = context.scale;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {4 * s, 3 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {6 * s, 3 * s});
  kind(context, state);
  shapes(context, state);
  split(context, state);
  if (why_not(chosen_layer(state)).empty()) {
    layer_run(context, state);
    const workload::Workload w = make_workload(chosen_layer(state));
    holds(context, w);
    where_time_goes(context, state, w);
  }
  ImGui::PopStyleVar(2);
}

std::vector<Command> commands() {
  return {{.id = "layer.run",
           .title = "Run the layer",
           .menu = "Device",
           .run = [](AppContext& context) { context.state->of<LayerView>().run.wanted = true; },
           .enabled =
               [](AppContext& context) {
                 const AppState& state = *context.state;
                 return !state.of<LayerView>().run.running && why_not(chosen_layer(state)).empty();
               }},
          {.id = "layer.copy",
           .title = "Copy the layer's command line",
           .menu = "Edit",
           .run =
               [](AppContext& context) {
                 ImGui::SetClipboardText(layer_command(*context.state).c_str());
                 say(*context.state, "Copied the command that runs this layer.");
               },
           .enabled =
               [](AppContext& context) {
                 return why_not(context.state->edit.beside.of<ChosenLayer>().layer).empty();
               }}};
}

}  // namespace

extern const Panel workload_panel = {
    .id = "workload",
    .title = "Workload",
    .docks = {.layer = Dock::kLeft},
    .draw = draw,
    .commands = commands,
    .without_plan = true,
};

}  // namespace tilescope
