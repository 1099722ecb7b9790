#include "app/live/sweeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/state/edit.h"
#include "app/state/known_results.h"
#include "app/state/sweep.h"
#include "worker/messages/messages_json.h"

namespace tilescope {

using nlohmann::json;
using worker::RpcError;

namespace {

constexpr double kSeconds = 0.3;  // of samples: a sweep compares, the present tile is measured well

}  // namespace

SweepCell* Sweeper::running_cell(AppState& state) const {
  auto& cells = state.tune.sweep.cells;
  const auto at = std::find_if(cells.begin(), cells.end(), [](const SweepCell& cell) {
    return cell.state == SweepCell::State::running;
  });
  return at == cells.end() ? nullptr : &*at;
}

void Sweeper::begin(AppState& state) {
  Sweep plan = plan_sweep(state, std::exchange(state.tune.wanted, {}));
  if (const std::string blocker = sweep_blocker(state, plan); !blocker.empty()) {
    say(state, blocker);
    return;
  }
  calls_.drop();
  plan.running = true;
  state.tune.sweep = std::move(plan);
}

void Sweeper::stop(AppState& state, const std::string& sentence) {
  calls_.drop();
  Sweep& sweep = state.tune.sweep;
  if (!sweep.running) return;
  sweep.running = false;
  sweep.ended = sentence;
  say(state, sentence);  // Landscape shows it no more when another problem has been chosen
  if (SweepCell* cell = running_cell(state)) cell->state = SweepCell::State::queued;
}

void Sweeper::update(AppState& state, bool idle, const Params& params) {
  state_ = &state;
  Sweep& sweep = state.tune.sweep;
  if (std::exchange(state.tune.stop_wanted, false) && sweep.running) {
    const SweepProgress p = progress_of(sweep);
    stop(state,
         fmt::format("Stopped the sweep of {} after {} of {} tiles; what was measured stays.",
                     sweep.kernel, p.done + p.failed, p.all));
  }
  if (!state.tune.wanted.empty()) begin(state);
  if (!sweep.running) return;
  if (const std::string outdated = sweep_outdated(state, sweep); !outdated.empty()) {
    return stop(state, outdated);
  }
  if (!idle && !calls_.idle()) {  // the card is wanted: this tile has its turn again later
    calls_.drop();
    if (SweepCell* cell = running_cell(state)) cell->state = SweepCell::State::queued;
  }
  if (idle && calls_.idle()) measure_next(state, params);
}

void Sweeper::measure_next(AppState& state, const Params& params_of) {
  Sweep& sweep = state.tune.sweep;
  const auto next = std::find_if(sweep.cells.begin(), sweep.cells.end(), [](const SweepCell& cell) {
    return cell.state == SweepCell::State::queued;
  });
  if (next == sweep.cells.end()) {
    sweep.running = false;
    sweep.ended = summary_of(sweep);
    return;
  }
  next->state = SweepCell::State::running;
  begun_ = state.now;
  Edit edit;
  edit.kernel = sweep.kernel, edit.tile = next->tile, edit.problem = sweep.problem;
  json params = params_of(edit);
  params["priority"] = "prefetch";  // compiled behind what somebody waits for
  params["seconds"] = kSeconds;
  params["library"] = false;  // timed beside the present tile
  if (!state.tune.store.empty()) params["store"] = state.tune.store;
  calls_.ask(sweep.device, "measure", std::move(params),
             {.done = [this, edit](const json& result) { take(result, edit); },
              .failed = [this](const RpcError& error) { fail(error); },
              .progress = {},
              .binary = {}});
}

void Sweeper::take(const json& result, const Edit& edit) {
  const auto measured = result.get<worker::MeasureResult>();
  SweepCell* cell = running_cell(*state_);
  if (!cell) return;
  state_->tune.sweep.seconds += state_->now - begun_;
  if (!measured.tflops) {
    cell->state = SweepCell::State::failed;
    cell->error = measured.verified ? fmt::format("the result is wrong: {}, tolerance {:.1e}",
                                                  worker::error_words(*measured.verified),
                                                  measured.verified->tolerance)
                                    : std::string("the card gave no time");
    return;
  }
  cell->state = SweepCell::State::done;
  learn_result(*state_, edit, measured, result.value("arch", ""), result.value("revision", ""));
}

void Sweeper::fail(const RpcError& error) {
  SweepCell* cell = running_cell(*state_);
  if (!cell) return;
  if (error.data.is_object() && error.data.contains("needs_reset")) {
    lost_ = true;
    const Sweep& sweep = state_->tune.sweep;
    const SweepProgress p = progress_of(sweep);
    return stop(*state_, fmt::format("The sweep of {} ended after {} of {} tiles: {} What was "
                                     "measured stays.",
                                     sweep.kernel, p.done + p.failed, p.all, error.message));
  }
  state_->tune.sweep.seconds += state_->now - begun_;
  cell->state = SweepCell::State::failed;
  cell->error = error.message;
}

}  // namespace tilescope
