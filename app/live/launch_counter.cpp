#include "app/live/launch_counter.h"

#include <utility>

#include "app/state/counting.h"
#include "app/state/device.h"
#include "core/model/names.h"
#include "worker/messages/counters.h"

namespace tilescope {

using nlohmann::json;

void LaunchCounter::update(AppState& state, const json& params, bool free) {
  Counting& c = state.counting;
  if (std::exchange(c.stop, false)) {
    calls_.drop();
    c = {};
  }
  if (!c.wanted || c.running || !free) return;
  c.wanted = false;
  if (why_no_counting(state).empty()) ask(state, params);
}

void LaunchCounter::drop(AppState& state) {
  calls_.drop();
  state.counting = {};
  state.results.counters.reset();
}

void LaunchCounter::ask(AppState& state, json params) {
  Counting& c = state.counting;
  c = {};
  c.running = true;
  c.since = state.now;
  c.stage = "counting";
  calls_.ask(state.device, "counters", std::move(params),
             {.done =
                  [this](const json& result) {
                    state_->counting = {};
                    state_->results.counters = result.get<worker::CountersResult>();
                  },
              .failed =
                  [this](const worker::RpcError& error) {
                    state_->counting = {};
                    state_->counting.error = error.message;
                    if (error.data.is_object() && error.data.contains("log")) {
                      state_->counting.error_details = error.data.value("log", std::string());
                    }
                  },
              .progress =
                  [this](const json& progress) {
                    if (progress.is_object() && progress.contains("stage")) {
                      state_->counting.stage = progress.value("stage", std::string());
                    }
                  },
              .binary = {}});
}

std::string ncu_command(const AppState& state) {
  std::vector<std::string> words{"ncu"};
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add(worker::ncu_options(worker::all_metrics()));
  add({worker::command_line_program(), "launch", "--device",
       is_card(state.device) ? state.device : "cuda:0"});
  const Edit& e = state.edit;
  add(model::position_options(e.kernel.c_str(), state.derived.kernel->sliders, e.tile, e.problem));
  if (!state.kernel_dir.empty()) add({"--kernel-dir", state.kernel_dir});
  return worker::shell_line(words);
}

}  // namespace tilescope
