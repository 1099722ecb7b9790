#include "app/features/traffic/why.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/known_results.h"
#include "app/state/model_memo.h"
#include "core/language/language.h"
#include "core/model/climb.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

constexpr double kWorthwhile = 0.01;  // of TFLOPS; less is within what the model does not know

std::optional<model::Prediction> prediction_of(const Edit& edit, const model::DeviceRow& card) {
  const KernelEntry* kernel = find_kernel(edit.rung().kernel.c_str());
  if (!kernel || !kernel->validate(edit.rung().tile, edit.problem, card.limits).legal()) return {};
  const KernelPlan plan = kernel->plan(edit.rung().tile, edit.problem, card.limits.sm_count);
  return model::predict(plan, edit.problem, launch_of(plan), model::traffic(plan, edit.problem),
                        card);
}

}  // namespace

ComparedTile compared_tile(const AppState& state) {
  const auto other = [&](const Edit& e) {
    return e.problem == state.edit.problem && e.subject != state.edit.subject;
  };
  for (auto at = state.pinned.rbegin(); at != state.pinned.rend(); ++at) {
    if (other(at->point.edit)) return {wording("pinned: {}", at->name), &at->point.edit};
  }
  for (auto at = state.history.rbegin(); at != state.history.rend(); ++at) {
    if (other(at->edit)) return {wording("before: {}", at->label), &at->edit};
  }
  return {};
}

WhyTime why_time(const AppState& state) {
  WhyTime why{state.derived.prediction, {}, timed_point(state, state.edit)};
  const ComparedTile with = compared_tile(state);
  if (!with.edit) return why;
  model::DeviceRow card = state.gpu;
  card.limits = state.limits;
  const auto there = prediction_of(*with.edit, card), here = prediction_of(state.edit, card);
  if (!there || !here) return why;
  why.now = *here;
  why.reference = {with.name, *with.edit, *there, timed_point(state, *with.edit)};
  return why;
}

std::string disagreement_words(const WhyTime& why) {
  if (!why.reference || !why.timed || !why.reference->timed) return {};
  const std::optional<double> here = why.timed->time_us, there = why.reference->timed->time_us;
  if (!here || !there) return {};
  const double modelled = why.now.us - why.reference->prediction.us, timed = *here - *there;
  constexpr double kAlike = 0.002;  // less than clocks and models tell apart
  if (modelled * timed >= 0 || std::abs(modelled) < kAlike * why.now.us ||
      std::abs(timed) < kAlike * *here) {
    return {};
  }
  const auto more = [](double us) { return us > 0 ? tr("longer") : tr("less"); };
  return wording("Model and card disagree: by the model this tile takes ~{} {}, {} it takes {} {}.",
                 model::time_text(std::abs(modelled)), more(modelled), name_of(why.timed->standing),
                 model::time_text(std::abs(timed)), more(timed));
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
      parts += (parts.empty() ? "" : ", ") + std::string(tr(part.name));
    }
    return wording(
        "By the model {} stays the faster one with up to 8 times as much, or as little, of any one "
        "of: "
        "{}.",
        faster, parts);
  }
  std::string with;
  for (size_t i = 0; i < changes.size(); ++i) {
    with += wording("{}{:.3g} times the {}",
                    i == 0                    ? ""
                    : i + 1 == changes.size() ? " or "
                                              : ", ",
                    changes[i].factor, changes[i].part);
  }
  return wording("By the model {} would no longer be faster on a card with {}.", faster, with);
}

namespace {

void sort_and_cut(std::vector<BetterTile>& tiles, size_t most) {
  const auto rank = [](const BetterTile& t) { return std::tuple(!is_timed(t.standing), -t.gain); };
  std::ranges::stable_sort(tiles, {}, rank);
  size_t timed = 0, modelled = 0;
  std::erase_if(tiles, [&](const BetterTile& t) {
    return (is_timed(t.standing) ? ++timed : ++modelled) > most;
  });
}

/// The fastest tile of the present kernel that was ever timed on this problem and device.
std::optional<BetterTile> fastest_timed(const AppState& state, double here,
                                        const std::vector<BetterTile>& but) {
  const worker::KnownResult* best = nullptr;
  for (const worker::KnownResult* r :
       known_of(state, state.edit.rung().kernel, state.edit.problem)) {
    if (!best || r->tflops > best->tflops) best = r;
  }
  if (!best || best->tflops <= here || best->request.tile == state.edit.rung().tile) return {};
  const auto same = [&](const BetterTile& t) { return t.tile == best->request.tile; };
  if (std::ranges::any_of(but, same)) return {};
  Edit edit = state.edit;
  edit.change_rung().tile = best->request.tile;
  return BetterTile{edit.rung().tile, tile_label(edit), best->tflops / here - 1, standing_of(*best),
                    best->date};
}

}  // namespace

BetterTiles better_tiles(const AppState& state, size_t most) {
  const KernelEntry& kernel = *state.derived.kernel;
  const Problem& problem = state.edit.problem;
  ModelMemo& models = *state.models;
  BetterTiles found;
  const auto modelled = models.tflops(kernel, state.edit.rung().tile, problem, state.gpu);
  found.complete = modelled.has_value();
  if (!modelled) return found;
  const std::optional<HistoryPoint> timed = timed_point(state, state.edit);
  const double here = timed ? timed->tflops.value_or(*modelled) : *modelled;
  for (int i = 0; i < kernel.sliders.count; ++i) {
    for (const int direction : {-1, 1}) {
      const auto next =
          model::neighbour(kernel.validator(), kernel.sliders, state.edit.rung().tile,
                           kernel.sliders.slider[i], direction, problem, state.limits);
      if (!next) continue;
      const auto there = models.tflops(kernel, next->tile, problem, state.gpu);
      if (!there) found.complete = false;
      BetterTile tile{next->tile, next->label};
      if (there) tile.modelled_gain = *there / *modelled - 1;
      const bool expected = tile.modelled_gain.value_or(0) >= kWorthwhile;
      Edit edit = state.edit;
      edit.change_rung().tile = next->tile;
      const std::optional<HistoryPoint> clock = timed_point(state, edit);
      if (!clock || !clock->tflops) {
        tile.gain = tile.modelled_gain.value_or(0);
        if (expected) found.tiles.push_back(std::move(tile));
        continue;
      }
      tile.gain = *clock->tflops / here - 1;
      tile.standing = clock->standing, tile.date = clock->date;
      if (tile.gain > 0) {
        found.tiles.push_back(std::move(tile));
      } else if (expected) {
        found.refuted.push_back(std::move(tile));
      }
    }
  }
  found.fastest = fastest_timed(state, here, found.tiles);
  sort_and_cut(found.tiles, most);
  sort_and_cut(found.refuted, most);
  return found;
}

}  // namespace tilescope
