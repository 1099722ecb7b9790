#include "app/features/layer/layer_figures.h"

#include <algorithm>

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_times.h"
#include "core/model/format.h"
#include "core/workload/workload.h"

namespace tilescope {
namespace {

void ask(AppState& state) { state.of<LayerView>().wanted = true; }

std::string percent_text(double share) { return model::four_digits(100 * share) + " %"; }

/// Of the whole layer, or of its forward pass.
std::optional<KnownFigure> time_of(const AppState& state, double LayerTimes::*time) {
  const LayerTimes times = best_times(state);
  if (times.standing == Standing::none || times.*time <= 0) return {};
  return KnownFigure{times.*time, model::time_text(times.*time),
                     times.standing == Standing::modelled};
}

/// How many times as fast as on one rank, by the model.
std::optional<double> speedup(const AppState& state) {
  const LayerModel* model = layer_model(state);
  if (!model || !model->plan.complete()) return {};
  const auto one = std::ranges::find(model->scaling, 1, &ScalingModel::ranks);
  if (one == model->scaling.end() || one->total_us <= 0) return {};
  return one->total_us / model->plan.schedule.total_us;
}

/// Of the time of transfers the part in which products run beside them.
std::optional<KnownFigure> hidden_share(const AppState& state) {
  const LayerModel* model = layer_model(state);
  const LayerTimes times = best_times(state);
  if (!model || times.bars.empty()) return {};
  const workload::Workload& w = model->plan.workload;
  const WallTime wall = wall_time(w, times.bars);
  double beside = 0, all = 0;
  for (size_t i = 0; i < w.steps.size() && i < wall.steps.size(); ++i) {
    if (!is_collective(w.steps[i])) continue;
    beside += wall.steps[i].beside_us, all += wall.steps[i].beside_us + wall.steps[i].us;
  }
  if (all <= 0) return {};
  return KnownFigure{beside / all, percent_text(beside / all),
                     times.standing == Standing::modelled};
}

double held(const AppState& state) {
  return workload::held_bytes(workload::make_workload(chosen_layer(state)), 0);
}

constexpr NamedFigure kFigures[] = {
    {.id = "layer.time",
     .title = "time of the layer, forward and backward",
     .value = [](const AppState& s) { return time_of(s, &LayerTimes::total_us); },
     .ask = ask},
    {.id = "layer.forward",
     .title = "time of the layer's forward pass",
     .value = [](const AppState& s) { return time_of(s, &LayerTimes::forward_us); },
     .ask = ask},
    {.id = "layer.speedup",
     .title = "speed against one rank",
     .value = [](const AppState& s) -> std::optional<KnownFigure> {
       const auto times = speedup(s);
       if (!times) return {};
       return KnownFigure{*times, model::four_digits(*times) + " ×", true};
     },
     .ask = ask},
    {.id = "layer.efficiency",
     .title = "share of each rank's time that is worth it, against one rank",
     .value = [](const AppState& s) -> std::optional<KnownFigure> {
       const auto times = speedup(s);
       if (!times) return {};
       const double share = *times / chosen_layer(s).ranks;
       return KnownFigure{share, percent_text(share), true};
     },
     .ask = ask},
    {.id = "layer.hidden",
     .title = "share of the transfers' time in which products run beside them",
     .value = hidden_share,
     .ask = ask},
    {.id = "layer.held",
     .title = "bytes that a rank holds",
     .value = [](const AppState& s) -> std::optional<KnownFigure> {
       if (!why_not(chosen_layer(s)).empty()) return {};
       return KnownFigure{held(s), model::bytes_text(held(s)), false};
     }},
};

}  // namespace

std::span<const NamedFigure> layer_figures() { return kFigures; }

}  // namespace tilescope
