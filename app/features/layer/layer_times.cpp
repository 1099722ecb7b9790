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

WallTime wall_time(const workload::Workload& w, const std::vector<Bar>& bars) {
  struct Edge {
    double at;
    int step, more;  // bars of the step from here on: one more, or one less
  };
  std::vector<Edge> edges;
  for (const Bar& bar : bars) {
    edges.push_back({bar.begin_us, bar.step, 1});
    edges.push_back({bar.end_us, bar.step, -1});
  }
  std::ranges::sort(edges, {}, &Edge::at);
  WallTime wall;
  wall.steps.resize(w.steps.size());
  std::vector<int> running(w.steps.size());
  const auto transfers = [&](size_t step) { return is_collective(w.steps[step]); };
  double now = 0;
  for (const Edge& edge : edges) {
    const double us = edge.at - now;
    now = edge.at;
    int products = 0, moves = 0;
    for (size_t s = 0; s < running.size(); ++s) (transfers(s) ? moves : products) += running[s];
    if (products + moves == 0) wall.waiting_us += us;
    for (size_t s = 0; s < running.size(); ++s) {
      if (running[s] == 0) continue;
      if (transfers(s) && products > 0) {
        wall.steps[s].beside_us += us;
      } else {
        wall.steps[s].us += us * running[s] / (products > 0 ? products : moves);
      }
    }
    running[static_cast<size_t>(edge.step)] += edge.more;
  }
  wall.whole_us = now;
  return wall;
}

std::optional<double> model_error(double modelled_us, double measured_us) {
  if (modelled_us <= 0 || measured_us <= 0) return std::nullopt;
  return modelled_us / measured_us - 1;
}

}  // namespace tilescope
