#include "app/live/layer_runner.h"

#include <utility>

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
  json params = layer_request(model.plan, state.limits.sm_count);
  if (run.place.devices.size() > 1) params["devices"] = run.place.devices;
  calls_.ask(run.place.devices[0], "layer", std::move(params),
             {.done =
                  [this](const json& answer) {
                    LayerRun& ran = state_->layer.run;
                    keep_measured(*state_, {ran.of, ran.place, model::today(),
                                            worker::layer_result(ran.of.layer, answer)});
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

}  // namespace tilescope
