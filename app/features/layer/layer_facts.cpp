#include "app/features/layer/layer_facts.h"

#include <algorithm>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/private_copy.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "worker/client/client.h"
#include "worker/messages/counters.h"

namespace tilescope {

using workload::Layer;

const Layer& chosen_layer(const AppState& state) {
  return state.edit.beside.of<ChosenLayer>().layer;
}

void set_layer(AppState& state, const Layer& layer, int drag) {
  if (chosen_layer(state) == layer) return;
  remember_edit(state, drag);
  state.edit.beside.of<ChosenLayer>().layer = layer;
}

LayerQuestion layer_question(const AppState& state) {
  return {chosen_layer(state), state.gpu.name ? state.gpu.name : "", state.limits.sm_count};
}

const Layer* shown_layer(const AppState& state) {
  if (why_not(chosen_layer(state)).empty()) return &chosen_layer(state);
  return state.of<LayerView>().model ? &state.of<LayerView>().model->of.layer : nullptr;
}

const LayerModel* layer_model(const AppState& state) {
  const LayerModel* model = state.of<LayerView>().model.get();
  return model && model->of == layer_question(state) ? model : nullptr;
}

bool layer_modelled(const AppState& state) {
  const LayerModel* model = layer_model(state);
  return model && model->scaling.size() == scaling_ranks(chosen_layer(state)).size();
}

std::vector<int> scaling_ranks(const Layer& layer) {
  std::vector<int> ranks{1, 2, 4, 8};
  if (std::ranges::find(ranks, layer.ranks) == ranks.end()) ranks.push_back(layer.ranks);
  std::ranges::sort(ranks);
  return ranks;
}

Layer over_ranks(Layer layer, int ranks) {
  layer.ranks = ranks;
  return layer;
}

LayerPlace layer_place(const AppState& state, int ranks) {
  const worker::DeviceInfo* card = card_of(state);
  if (!card) return {{kEmulator}};
  LayerPlace place{{card->id}};
  // Ranks on cards of several kinds would tell of the slowest alone.
  for (const worker::DeviceInfo& other : state.devices) {
    const bool alike = is_card(other.id) && other.available && other.name == card->name;
    if (alike && other.id != card->id && static_cast<int>(place.devices.size()) < ranks) {
      place.devices.push_back(other.id);
    }
  }
  if (static_cast<int>(place.devices.size()) < ranks) place.devices.resize(1);
  return place;
}

LayerPlace layer_place(const AppState& state) {
  return layer_place(state, chosen_layer(state).ranks);
}

std::string rank_place(const LayerPlace& place, int rank) {
  const size_t last = place.devices.size() - 1;
  return place.devices[std::min(static_cast<size_t>(rank), last)];
}

namespace {

/// False if the model would now have other kernels or tiles run than those that did.
bool as_planned(const AppState& state, const LayerMeasured& m) {
  const LayerModel* model = layer_model(state);
  if (!model) return true;
  for (const ScalingModel& point : model->scaling) {
    if (point.ranks == m.of.layer.ranks && !point.choices.empty()) {
      return point.choices == m.choices;
    }
  }
  return true;
}

}  // namespace

const LayerMeasured* layer_measured(const AppState& state, int ranks) {
  LayerQuestion question = layer_question(state);
  question.layer.ranks = ranks;
  const LayerPlace place = layer_place(state, ranks);
  const auto at = std::ranges::find_if(state.of<LayerView>().measured, [&](const LayerMeasured& m) {
    return m.of == question && m.place == place && as_planned(state, m);
  });
  return at == state.of<LayerView>().measured.end() ? nullptr : &*at;
}

const LayerMeasured* layer_measured(const AppState& state) {
  return layer_measured(state, chosen_layer(state).ranks);
}

std::string day_words(const LayerMeasured& measured) {
  return measured.date == model::today() ? "" : ", " + measured.date;
}

void keep_measured(AppState& state, LayerMeasured measured) {
  constexpr size_t kMost = 64;
  std::vector<LayerMeasured>& all = state.of<LayerView>().measured;
  std::erase_if(all, [&](const LayerMeasured& m) {
    return m.of == measured.of && m.place == measured.place;
  });
  all.push_back(std::move(measured));
  if (all.size() > kMost) all.erase(all.begin());
}

bool runs_on_cards(const AppState& state) { return card_of(state) != nullptr; }

std::string why_no_run(const AppState& state) {
  if (std::string why = why_not(chosen_layer(state)); !why.empty()) return why + ".";
  const LayerModel* model = layer_model(state);
  if (!model || model->plan.complete()) return {};
  for (const LayerStep& step : model->plan.steps) {
    if (!step.why_not.empty()) return step.why_not + ".";
  }
  return "The model has no plan for this layer.";
}

const std::string& layer_error(const AppState& state) {
  static const std::string kNone;
  const LayerRun& run = state.of<LayerView>().run;
  return run.of == layer_question(state) && run.place == layer_place(state) ? run.error : kNone;
}

int chosen_step(const AppState& state) {
  const Layer* layer = shown_layer(state);
  const int steps = layer ? static_cast<int>(make_workload(*layer).steps.size()) : 0;
  return std::clamp(state.of<LayerView>().step, 0, std::max(0, steps - 1));
}

void choose_step(AppState& state, int step) {
  state.of<LayerView>().step = step;
  const LayerModel* model = layer_model(state);
  if (!model || step < 0 || step >= static_cast<int>(model->plan.steps.size())) return;
  const RungChoice& choice = model->plan.steps[static_cast<size_t>(step)].choice;
  if (!choice.kernel) return;
  Edit edit = state.edit;
  edit.change_rung().kernel = choice.kernel->info.id;
  edit.change_rung().tile = choice.tile;
  const workload::Workload& w = model->plan.workload;
  edit.problem = problem_of(w, w.steps[static_cast<size_t>(step)], 0);
  set_edit(state, edit);
  say(state, wording("The other panels show step {}: {:02} {}, {}.", step + 1,
                     choice.kernel->info.number, choice.kernel->info.id, tile_label(edit)));
}

std::string layer_command(const AppState& state) {
  const Layer& l = chosen_layer(state);
  std::vector<std::string> words{worker::command_line_program(), "layer", name_of(l.kind)};
  const auto add = [&](const char* option, std::string value) {
    words.push_back(option);
    words.push_back(std::move(value));
  };
  add("--tokens", std::to_string(l.tokens)), add("--in", std::to_string(l.in));
  add("--out", std::to_string(l.out));
  if (l.ranks > 1) add("--ranks", std::to_string(l.ranks));
  if (l.chunks > 1) add("--chunks", std::to_string(l.chunks));
  if (l.gather) words.push_back("--gather");
  if (!l.overlap) words.push_back("--no-overlap");
  const LayerPlace place = layer_place(state);
  // "cuda" alone is one card per rank.
  add("--device", place.devices.size() > 1 ? "cuda" : place.devices[0]);
  // The emulator is no card of its own: rungs and tiles are those for the chosen one.
  if (place.devices[0] == kEmulator && state.gpu.name) add("--card", state.gpu.name);
  if (const std::string folder = sources_folder(state); !folder.empty()) {
    add("--kernel-dir", folder);
  }
  return worker::shell_line(words);
}

std::string step_tile(const LayerStep& step) {
  if (!step.choice.kernel) return {};
  Edit edit;
  edit.change_rung().kernel = step.choice.kernel->info.id;
  edit.change_rung().tile = step.choice.tile;
  return tile_label(edit);
}

}  // namespace tilescope
