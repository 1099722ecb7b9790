#include "app/features/traffic/launch_counter.h"

#include <utility>

#include "app/features/traffic/counting.h"
#include "app/state/device.h"
#include "app/state/private_copy.h"
#include "core/model/names.h"
#include "worker/messages/counters.h"

namespace tilescope {

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
  calls_.ask<worker::calls::Counters>(
      state.device, {.of = kernel_of(state, state.edit), .time_limit = time_limit},
      {.done =
           [](AppState& s, worker::CountersResult counted) {
             s.of<Counting>() = {};
             s.results.counters = std::move(counted);
           },
       .failed =
           [](AppState& s, const worker::CallError& error) {
             s.of<Counting>() = {};
             s.of<Counting>().error = error.message;
             s.of<Counting>().error_details = error.log;
           },
       .progress =
           [](AppState& s, const worker::Progress& progress) {
             if (!progress.stage.empty()) s.of<Counting>().stage = progress.stage;
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
  add(model::position_options(e.rung().kernel.c_str(), state.derived.kernel->sliders, e.rung().tile,
                              e.problem));
  if (const std::string folder = sources_folder(state); !folder.empty()) {
    add({"--kernel-dir", folder});
  }
  return worker::shell_line(words);
}

}  // namespace tilescope
