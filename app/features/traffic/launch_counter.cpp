#include "app/features/traffic/launch_counter.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/features/traffic/counting.h"
#include "app/state/device.h"
#include "core/model/names.h"
#include "worker/messages/counters.h"

namespace tilescope {

using nlohmann::json;

void LaunchCounter::update(AppState& state, const Surroundings& others) {
  Counting& c = state.of<Counting>();
  if (std::exchange(c.stop, false)) {
    calls_.drop();
    c = {};
  }
  if (!c.wanted || c.running || !others.edit_rests(state)) return;
  c.wanted = false;
  if (why_no_counting(state).empty()) ask(state, others.time_limit);
}

void LaunchCounter::without_worker(AppState& state, const std::string& why) {
  if (std::exchange(state.of<Counting>().wanted, false)) state.of<Counting>().error = why;
}

Busy LaunchCounter::busy(const AppState& state) const {
  return state.of<Counting>().running || state.of<Counting>().wanted ? Busy::awaited : Busy::no;
}

void LaunchCounter::drop(AppState& state, Lost what) {
  calls_.drop();
  state.of<Counting>() = {};
  // What was counted is of the edit, on the device.
  if (what != Lost::stopped) state.results.counters.reset();
}

void LaunchCounter::ask(AppState& state, double time_limit) {
  Counting& c = state.of<Counting>();
  c = {};
  c.running = true;
  c.since = state.now;
  c.stage = "counting";
  json params = call_params(state, state.edit);
  params["time_limit"] = time_limit;
  calls_.ask(state.device, "counters", std::move(params),
             {.done =
                  [](AppState& s, const json& result) {
                    s.of<Counting>() = {};
                    s.results.counters = result.get<worker::CountersResult>();
                  },
              .failed =
                  [](AppState& s, const worker::RpcError& error) {
                    s.of<Counting>() = {};
                    s.of<Counting>().error = error.message;
                    if (error.data.is_object() && error.data.contains("log")) {
                      s.of<Counting>().error_details = error.data.value("log", std::string());
                    }
                  },
              .progress =
                  [](AppState& s, const json& progress) {
                    if (progress.is_object() && progress.contains("stage")) {
                      s.of<Counting>().stage = progress.value("stage", std::string());
                    }
                  }});
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
