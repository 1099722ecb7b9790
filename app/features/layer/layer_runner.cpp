#include "app/features/layer/layer_runner.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/features/layer/layer_view.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "core/model/format.h"

namespace tilescope {

using nlohmann::json;

void LayerRunner::update(AppState& state, const Surroundings&) {
  LayerRun& run = state.of<LayerView>().run;
  const bool outdated =
      run.running && !(run.of == layer_question(state) && run.place == layer_place(state));
  if (std::exchange(run.stop, false) || outdated) {
    const bool again = run.wanted && outdated;
    forget_run(state);
    run.wanted = again;
  }
  look_up(state);
  if (!run.wanted || run.running) return;
  if (const std::string why = why_no_run(state); !why.empty()) {
    run = {.of = layer_question(state), .place = layer_place(state), .error = why};
    return;
  }
  // Rungs and tiles are the plan's: it comes first.
  if (const LayerModel* model = layer_model(state)) ask(state, *model);
}

void LayerRunner::without_worker(AppState& state, const std::string& why) {
  if (!std::exchange(state.of<LayerView>().run.wanted, false)) return;
  state.of<LayerView>().run = {
      .of = layer_question(state), .place = layer_place(state), .error = why};
}

Busy LayerRunner::busy(const AppState& state) const {
  return state.of<LayerView>().run.wanted || state.of<LayerView>().run.running ? Busy::awaited
                                                                               : Busy::no;
}

void LayerRunner::drop(AppState& state, Lost what) {
  switch (what) {
    case Lost::edit:
    case Lost::device:
    case Lost::again:
      return;  // update() sees whether the layer or its place is another one
    case Lost::stopped:
      return forget_run(state);
    case Lost::worker:
      forget_run(state);
      store_.drop();
      looked_up_.clear();
      return;
  }
}

void LayerRunner::forget_run(AppState& state) {
  calls_.drop();
  state.of<LayerView>().run = {};
}

void LayerRunner::ask(AppState& state, const LayerModel& model) {
  LayerRun& run = state.of<LayerView>().run;
  run = {.running = true,
         .of = model.of,
         .place = layer_place(state),
         .since = state.now,
         .stage = "compiling"};
  asked_ = layer_request(model.plan, state.limits.sm_count);
  json params = asked_;
  if (run.place.devices.size() > 1) params["devices"] = run.place.devices;
  calls_.ask(run.place.devices[0], "layer", std::move(params),
             {.done =
                  [this](AppState& s, const json& answer) {
                    LayerRun& ran = s.of<LayerView>().run;
                    LayerMeasured measured{ran.of, ran.place, model::today(), asked_.choices,
                                           worker::layer_result(ran.of.layer, answer)};
                    keep(s, measured);
                    keep_measured(s, std::move(measured));
                    ran = {};
                  },
              .failed = [this](AppState& s, const worker::RpcError& error) { failed(s, error); },
              .progress =
                  [](AppState& s, const json& progress) {
                    if (!progress.is_object()) return;
                    s.of<LayerView>().run.stage =
                        progress.value("stage", s.of<LayerView>().run.stage);
                  }});
}

void LayerRunner::failed(AppState& state, const worker::RpcError& error) {
  LayerRun& run = state.of<LayerView>().run;
  run.running = false;
  run.error = error.message;
  if (!error.data.is_object()) return;
  if (error.data.contains("log")) run.error_details = error.data.value("log", std::string());
  if (error.data.contains("needs_reset")) link_.devices_outdated = true;
}

void LayerRunner::keep(AppState& state, const LayerMeasured& measured) {
  const worker::DeviceInfo* card = card_of(state);
  const bool timed = measured.result.ok() && !measured.result.steps.empty();
  // Another device may have been chosen just now; then the run's card is not this one.
  const bool of_card = card && card->id == measured.place.devices[0];
  if (!of_card || !timed || state.store.empty()) return;
  json params =
      worker::KeptLayer{asked_, card->name, static_cast<int>(measured.place.devices.size()),
                        measured.date, measured.result};
  params["store"] = state.store;
  store_.ask("store", "keepLayer", std::move(params),
             {.done =
                  [](AppState& s, const json& answer) {
                    const std::string remark = answer.value("remark", std::string());
                    if (!remark.empty()) say(s, remark);
                  },
              .failed = [](AppState& s, const worker::RpcError& error) { say(s, error.message); }});
}

void LayerRunner::look_up(AppState& state) {
  const worker::DeviceInfo* card = card_of(state);
  if (!state.of<LayerView>().wanted || !card || state.store.empty() || looked_up_ == card->id)
    return;
  looked_up_ = card->id;
  store_.ask("store", "keptLayers", {{"store", state.store}, {"card", card->name}},
             {.done = [this](AppState& s, const json& answer) { take_kept(s, answer); }});
}

void LayerRunner::take_kept(AppState& state, const json& answer) {
  const worker::DeviceInfo* card = card_of(state);
  if (!card || card->id != looked_up_) return;
  for (const json& one : answer.at("layers")) {
    auto kept = one.get<worker::KeptLayer>();
    LayerQuestion of = layer_question(state);
    of.layer = kept.request.layer;
    const LayerPlace place = layer_place(state, of.layer.ranks);
    if (kept.request.sms != of.sms || kept.cards != static_cast<int>(place.devices.size()))
      continue;
    const bool newer =
        std::ranges::any_of(state.of<LayerView>().measured,
                            [&](const LayerMeasured& m) { return m.of == of && m.place == place; });
    if (newer) continue;
    keep_measured(state, {of, place, kept.date, kept.request.choices, std::move(kept.result)});
  }
}

}  // namespace tilescope
