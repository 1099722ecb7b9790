#include "app/features/traffic/why.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/model_memo.h"
#include "core/model/climb.h"

namespace tilescope {
namespace {

constexpr double kWorthwhile = 0.01;  // of TFLOPS; less is within what the model does not know

std::optional<model::Prediction> prediction_of(const Edit& edit, const model::DeviceRow& card) {
  const KernelEntry* kernel = find_kernel(edit.kernel.c_str());
  if (!kernel || !kernel->validate(edit.tile, edit.problem, card.limits).legal()) return {};
  const KernelPlan plan = kernel->plan(edit.tile, edit.problem, card.limits.sm_count);
  return model::predict(plan, edit.problem, launch_of(plan), model::traffic(plan, edit.problem),
                        card);
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
  model::DeviceRow card = state.gpu;
  card.limits = state.limits;
  const auto there = prediction_of(*with.edit, card), here = prediction_of(state.edit, card);
  if (!there || !here) return why;
  why.now = *here;
  why.reference = {with.name, *with.edit, *there};
  return why;
}

std::vector<model::CardChange> what_would_turn(const AppState& state, const WhyTime& why) {
  model::DeviceRow card = state.gpu;
  card.limits = state.limits;
  return model::changes_that_turn(card, [&](const model::DeviceRow& other) {
    const auto here = prediction_of(state.edit, other);
    const auto there = prediction_of(why.reference->edit, other);
    return here && there ? here->us - there->us : 0;
  });
}

std::string turning_words(const AppState& state, const WhyTime& why) {
  if (!why.reference || why.now.us == why.reference->prediction.us) return {};
  const std::string faster = why.now.us < why.reference->prediction.us
                                 ? tile_label(state.edit)
                                 : tile_label(why.reference->edit);
  const std::vector<model::CardChange> changes = what_would_turn(state, why);
  if (changes.empty()) {
    std::string parts;
    for (const model::CardPart& part : model::card_parts()) {
      parts += (parts.empty() ? "" : ", ") + std::string(part.name);
    }
    return fmt::format(
        "By the model {} stays the faster one with up to 8 times as much, or as little, of any one "
        "of: "
        "{}.",
        faster, parts);
  }
  std::string with;
  for (size_t i = 0; i < changes.size(); ++i) {
    with += fmt::format("{}{:.3g} times the {}",
                        i == 0                    ? ""
                        : i + 1 == changes.size() ? " or "
                                                  : ", ",
                        changes[i].factor, changes[i].part);
  }
  return fmt::format("By the model {} would no longer be faster on a card with {}.", faster, with);
}

std::vector<BetterTile> better_tiles(const AppState& state, size_t most, bool* complete) {
  const KernelEntry& kernel = *state.derived.kernel;
  const Problem& problem = state.edit.problem;
  ModelMemo& models = *state.models;
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
