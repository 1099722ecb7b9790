#include "app/live/layer_runner.h"

#include <algorithm>
#include <utility>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "core/model/format.h"

namespace tilescope {

using nlohmann::json;

void LayerRunner::update(AppState& state) {
  LayerRun& run = state.layer.run;
  const bool outdated =
      run.running && !(run.of == layer_question(state) && run.place == layer_place(state));
  if (std::exchange(run.stop, false) || outdated) {
    const bool again = run.wanted && outdated;
    drop(state);
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

void LayerRunner::drop(AppState& state) {
  calls_.drop();
  state.layer.run = {};
}

void LayerRunner::ask(AppState& state, const LayerModel& model) {
  LayerRun& run = state.layer.run;
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
                  [this](const json& answer) {
                    LayerRun& ran = state_->layer.run;
                    LayerMeasured measured{ran.of, ran.place, model::today(), asked_.choices,
                                           worker::layer_result(ran.of.layer, answer)};
                    keep(measured);
                    keep_measured(*state_, std::move(measured));
                    ran = {};
                  },
              .failed = [this](const worker::RpcError& error) { failed(error); },
              .progress =
                  [this](const json& progress) {
                    if (progress.is_object()) {
                      state_->layer.run.stage = progress.value("stage", state_->layer.run.stage);
                    }
                  },
              .binary = {}});
}

void LayerRunner::failed(const worker::RpcError& error) {
  LayerRun& run = state_->layer.run;
  run.running = false;
  run.error = error.message;
  if (!error.data.is_object()) return;
  if (error.data.contains("log")) run.error_details = error.data.value("log", std::string());
  lost_ = lost_ || error.data.contains("needs_reset");
}

void LayerRunner::keep(const LayerMeasured& measured) {
  const worker::DeviceInfo* card = card_of(*state_);
  const bool timed = measured.result.ok() && !measured.result.steps.empty();
  // Another device may have been chosen just now; then the run's card is not this one.
  const bool of_card = card && card->id == measured.place.devices[0];
  if (!of_card || !timed || state_->tune.store.empty()) return;
  json params =
      worker::KeptLayer{asked_, card->name, static_cast<int>(measured.place.devices.size()),
                        measured.date, measured.result};
  params["store"] = state_->tune.store;
  store_.ask("emulator", "keepLayer", std::move(params),
             {.done =
                  [this](const json& answer) {
                    const std::string remark = answer.value("remark", std::string());
                    if (!remark.empty()) say(*state_, remark);
                  },
              .failed = [this](const worker::RpcError& error) { say(*state_, error.message); },
              .progress = {},
              .binary = {}});
}

void LayerRunner::look_up(AppState& state) {
  const worker::DeviceInfo* card = card_of(state);
  if (!state.layer.wanted || !card || state.tune.store.empty() || looked_up_ == card->id) return;
  looked_up_ = card->id;
  store_.ask("emulator", "keptLayers", {{"store", state.tune.store}, {"card", card->name}},
             {.done = [this](const json& answer) { take_kept(answer); },
              .failed = [](const worker::RpcError&) {},  // as good as none
              .progress = {},
              .binary = {}});
}

void LayerRunner::take_kept(const json& answer) {
  AppState& state = *state_;
  const worker::DeviceInfo* card = card_of(state);
  if (!card || card->id != looked_up_) return;
  for (const json& one : answer.at("layers")) {
    auto kept = one.get<worker::KeptLayer>();
    LayerQuestion of = layer_question(state);
    of.layer = kept.request.layer;
    const LayerPlace place = layer_place(state, of.layer.ranks);
    if (kept.request.sms != of.sms || kept.cards != static_cast<int>(place.devices.size()))
      continue;
    const bool newer = std::ranges::any_of(state.layer.measured, [&](const LayerMeasured& m) {
      return m.of == of && m.place == place;
    });
    if (newer) continue;
    keep_measured(state, {of, place, kept.date, kept.request.choices, std::move(kept.result)});
  }
}

}  // namespace tilescope
