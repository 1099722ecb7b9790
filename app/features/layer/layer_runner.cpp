#include "app/features/layer/layer_runner.h"

#include <algorithm>
#include <utility>

#include "app/features/layer/layer_view.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "core/model/format.h"

namespace tilescope {

namespace calls = worker::calls;

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
  calls::Layer::Request request{asked_};
  if (run.place.devices.size() > 1) request.devices = run.place.devices;
  calls_.ask<calls::Layer>(
      run.place.devices[0], request,
      {.done =
           [this](AppState& s, const worker::LayerAnswer& answer) {
             LayerRun& ran = s.of<LayerView>().run;
             LayerMeasured measured{ran.of, ran.place, model::today(), asked_.choices,
                                    worker::layer_result(ran.of.layer, answer)};
             keep(s, measured);
             keep_measured(s, std::move(measured));
             ran = {};
           },
       .failed = [this](AppState& s, const worker::CallError& error) { failed(s, error); },
       .progress =
           [](AppState& s, const worker::Progress& progress) {
             if (!progress.stage.empty()) s.of<LayerView>().run.stage = progress.stage;
           }});
}

void LayerRunner::failed(AppState& state, const worker::CallError& error) {
  LayerRun& run = state.of<LayerView>().run;
  run.running = false;
  run.error = error.message;
  run.error_details = error.log;
  if (error.needs_reset) link_.devices_outdated = true;
}

void LayerRunner::keep(AppState& state, const LayerMeasured& measured) {
  const worker::DeviceInfo* card = card_of(state);
  const bool timed = measured.result.ok() && !measured.result.steps.empty();
  // Another device may have been chosen just now; then the run's card is not this one.
  const bool of_card = card && card->id == measured.place.devices[0];
  if (!of_card || !timed || state.store.empty()) return;
  store_.ask<calls::KeepLayer>(
      {{asked_, card->name, static_cast<int>(measured.place.devices.size()), measured.date,
        measured.result},
       state.store},
      {.done =
           [](AppState& s, const calls::KeepLayer::Answer& answer) {
             if (!answer.remark.empty()) say(s, answer.remark);
           },
       .failed = [](AppState& s, const worker::CallError& error) { say(s, error.message); }});
}

void LayerRunner::look_up(AppState& state) {
  const worker::DeviceInfo* card = card_of(state);
  if (!state.of<LayerView>().wanted || !card || state.store.empty() || looked_up_ == card->id)
    return;
  looked_up_ = card->id;
  store_.ask<calls::KeptLayers>({state.store, card->name},
                                {.done = [this](AppState& s, calls::KeptLayers::Answer answer) {
                                  take_kept(s, std::move(answer.layers));
                                }});
}

void LayerRunner::take_kept(AppState& state, std::vector<worker::KeptLayer> layers) {
  const worker::DeviceInfo* card = card_of(state);
  if (!card || card->id != looked_up_) return;
  for (worker::KeptLayer& kept : layers) {
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
