#include "app/features/layer/layer_planner.h"
#include "app/features/layer/layer_view.h"

#include <utility>

namespace tilescope {
namespace {

constexpr double kChoiceRests = 0.080;  // seconds that the choice rests before it begins

bool askable(const AppState& state) {
  return !state.device.empty() && why_not(chosen_layer(state)).empty() && !layer_modelled(state);
}

}  // namespace

LayerPlanner::~LayerPlanner() {
  if (run_) run_->cancelled = true;
  for (const auto& run : dropped_) run->cancelled = true;
}

Busy LayerPlanner::busy(const AppState& state) const {
  return pending_ || (state.of<LayerView>().wanted && askable(state)) ? Busy::awaited : Busy::no;
}

void LayerPlanner::update(AppState& state, const Surroundings&) { go_on(state); }
void LayerPlanner::without_worker(AppState& state, const std::string&) { go_on(state); }
void LayerPlanner::drop(AppState&, Lost) {}  // it sees itself whether another question is due

void LayerPlanner::go_on(AppState& state) {
  std::erase_if(dropped_, [](const auto& run) { return run->done.load(); });
  const bool wanted =
      std::exchange(state.of<LayerView>().wanted, false) || state.of<LayerView>().run.wanted;
  pending_ = wanted && askable(state);
  if (!pending_) return;
  const LayerQuestion question = layer_question(state);
  if (!(question == seen_)) {
    // The first time nobody has moved anything.
    changed_at_ = seen_.gpu.empty() ? -1 : state.now;
    seen_ = question;
  }
  if (run_ && run_->of == question) {
    const bool done = run_->done;
    {
      const std::lock_guard lock(run_->mutex);
      if (run_->model) state.of<LayerView>().model = run_->model;
    }
    if (done) run_.reset();
    pending_ = askable(state);
    return;
  }
  if (run_) {
    run_->cancelled = true;
    dropped_.push_back(std::move(run_));
  }
  if (changed_at_ >= 0 && state.now - changed_at_ < kChoiceRests) return;
  begin(question, state.gpu);
}

void LayerPlanner::begin(const LayerQuestion& question, const model::DeviceRow& gpu) {
  run_ = std::make_unique<Run>();
  run_->of = question;
  run_->gpu = gpu;
  Run* run = run_.get();
  run->beside.emplace([run, wake = wake_] { return work(*run, wake); });
}

bool LayerPlanner::work(Run& run, const std::function<void()>& wake) {
  LayerModel& model = run.growing;
  const std::vector<int> scaling = scaling_ranks(run.of.layer);
  if (!std::exchange(run.planned, true)) {
    model.of = run.of;
    model.plan = plan_layer(run.of.layer, run.gpu);
  } else {
    const int ranks = scaling[model.scaling.size()];
    const workload::Layer layer = over_ranks(run.of.layer, ranks);
    ScalingModel point{.ranks = ranks, .why_not = why_not(layer)};
    if (point.why_not.empty()) {
      const LayerPlan plan = ranks == run.of.layer.ranks ? model.plan : plan_layer(layer, run.gpu);
      point.choices = layer_request(plan, run.of.sms).choices;
      point.forward_us = plan.schedule.forward_us, point.total_us = plan.schedule.total_us;
      if (!plan.complete()) point.why_not = "a step has no rung";
    }
    model.scaling.push_back(std::move(point));
  }
  const bool goes_on = !run.cancelled && model.scaling.size() < scaling.size();
  if (!run.cancelled) {
    const std::lock_guard lock(run.mutex);
    run.model = std::make_shared<const LayerModel>(model);
  }
  run.done = !goes_on;
  if (wake) wake();
  return goes_on;
}

}  // namespace tilescope
