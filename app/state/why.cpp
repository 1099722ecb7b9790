#include "app/state/why.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/state/history.h"
#include "app/state/model_memo.h"
#include "core/model/climb.h"

namespace tilescope {
namespace {

constexpr double kWorthwhile = 0.01;  // of TFLOPS; less is within what the model does not know

std::optional<model::Prediction> prediction_of(const AppState& state, const Edit& edit) {
  const KernelEntry* kernel = find_kernel(edit.kernel.c_str());
  if (!kernel || !kernel->validate(edit.tile, edit.problem, state.limits).legal()) return {};
  const KernelPlan plan = kernel->plan(edit.tile, edit.problem, state.limits.sm_count);
  return model::predict(plan, edit.problem, launch_of(plan), model::traffic(plan, edit.problem),
                        state.gpu);
}

}  // namespace

ComparedTile compared_tile(const AppState& state) {
  const auto other = [&](const Edit& e) {
    return e.problem == state.edit.problem &&
           !(e.kernel == state.edit.kernel && e.tile == state.edit.tile);
  };
  for (auto at = state.pinned.rbegin(); at != state.pinned.rend(); ++at) {
    if (other(at->point.edit)) return {"pinned: " + at->name, &at->point.edit};
  }
  for (auto at = state.history.rbegin(); at != state.history.rend(); ++at) {
    if (other(at->edit)) return {"before: " + at->label, &at->edit};
  }
  return {};
}

WhyTime why_time(const AppState& state) {
  WhyTime why{state.derived.prediction, {}};
  const ComparedTile with = compared_tile(state);
  if (!with.edit) return why;
  const auto there = prediction_of(state, *with.edit), here = prediction_of(state, state.edit);
  if (!there || !here) return why;
  why.now = *here;
  why.reference = {with.name, *with.edit, *there};
  return why;
}

std::vector<BetterTile> better_tiles(const AppState& state, size_t most, bool* complete) {
  const KernelEntry& kernel = *state.derived.kernel;
  const Problem& problem = state.edit.problem;
  ModelMemo& models = *state.tune.models;
  const auto here = models.tflops(kernel, state.edit.tile, problem, state.gpu);
  *complete = here.has_value();
  std::vector<BetterTile> all;
  if (!here) return all;
  for (int i = 0; i < kernel.sliders.count; ++i) {
    for (const int direction : {-1, 1}) {
      const auto next =
          model::neighbour(kernel.validator(), kernel.sliders, state.edit.tile,
                           kernel.sliders.slider[i], direction, problem, state.limits);
      if (!next) continue;
      BetterTile better{next->tile, next->label};
      const auto there = models.tflops(kernel, better.tile, problem, state.gpu);
      if (!there) {
        *complete = false;
        continue;
      }
      better.gain = *there / *here - 1;
      if (better.gain >= kWorthwhile) all.push_back(std::move(better));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const BetterTile& a, const BetterTile& b) { return a.gain > b.gain; });
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace tilescope
