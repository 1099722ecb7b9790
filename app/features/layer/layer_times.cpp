#include "app/features/layer/layer_times.h"

#include <algorithm>

namespace tilescope {

using workload::Bar;

LayerTimes modelled_times(const AppState& state) {
  const LayerModel* model = layer_model(state);
  LayerTimes times;
  if (!model || !model->plan.complete()) return times;
  times.standing = Standing::modelled;
  for (const LayerStep& step : model->plan.steps) times.steps_us.push_back(step.us);
  const workload::Schedule& s = model->plan.schedule;
  times.bars = s.bars, times.forward_us = s.forward_us, times.total_us = s.total_us;
  return times;
}

LayerTimes measured_times(const AppState& state) {
  const LayerMeasured* measured = layer_measured(state);
  LayerTimes times;
  if (!measured || measured->result.steps.empty()) return times;
  const worker::LayerResult& r = measured->result;
  times.standing = Standing::measured;
  for (const worker::StepTime& step : r.steps) times.steps_us.push_back(step.us);
  for (const worker::LayerBar& bar : r.bars) {
    times.bars.push_back({bar.step, bar.chunk, bar.rank, bar.begin_us, bar.end_us});
  }
  times.forward_us = r.forward_us, times.total_us = r.total_us;
  return times;
}

LayerTimes best_times(const AppState& state) {
  LayerTimes times = measured_times(state);
  return times.standing == Standing::none ? modelled_times(state) : times;
}

std::string result_name(const workload::Workload& w, const workload::Step& step) {
  return w.matrices[static_cast<size_t>(step.c)].name;
}

double alone_us(const workload::Workload& w, const std::vector<Bar>& bars) {
  std::vector<double> edges;
  for (const Bar& bar : bars) edges.push_back(bar.begin_us), edges.push_back(bar.end_us);
  std::ranges::sort(edges);
  double alone = 0;
  for (size_t i = 1; i < edges.size(); ++i) {
    const double middle = (edges[i - 1] + edges[i]) / 2;
    bool moves = false, computes = false;
    for (const Bar& bar : bars) {
      if (bar.begin_us > middle || bar.end_us <= middle) continue;
      const bool transfer = is_collective(w.steps[static_cast<size_t>(bar.step)]);
      moves = moves || transfer, computes = computes || !transfer;
    }
    if (moves && !computes) alone += edges[i] - edges[i - 1];
  }
  return alone;
}

std::optional<double> model_error(double modelled_us, double measured_us) {
  if (modelled_us <= 0 || measured_us <= 0) return std::nullopt;
  return modelled_us / measured_us - 1;
}

}  // namespace tilescope
