#include "app/features/tune/sweeper.h"

#include <algorithm>
#include <utility>

#include "app/features/tune/sweep.h"
#include "app/features/tune/tune.h"
#include "app/state/edit.h"
#include "app/state/known_results.h"
#include "core/language/language.h"
#include "core/language/retold.h"

namespace tilescope {

namespace calls = worker::calls;
using worker::CallError;

namespace {

constexpr double kSeconds = 0.3;  // of samples: a sweep compares, the present tile is measured well

SweepCell* running_cell(AppState& state) {
  auto& cells = state.of<Sweeping>().sweep.cells;
  const auto at = std::find_if(cells.begin(), cells.end(), [](const SweepCell& cell) {
    return cell.state == SweepCell::State::running;
  });
  return at == cells.end() ? nullptr : &*at;
}

}  // namespace

void Sweeper::begin(AppState& state) {
  Sweep plan = plan_sweep(state, std::exchange(state.of<Sweeping>().wanted, {}));
  if (const std::string blocker = sweep_blocker(state, plan); !blocker.empty()) {
    say(state, blocker);
    return;
  }
  calls_.drop();
  plan.running = true;
  state.of<Sweeping>().sweep = std::move(plan);
}

void Sweeper::stop(AppState& state, const std::string& sentence) {
  calls_.drop();
  Sweep& sweep = state.of<Sweeping>().sweep;
  if (!sweep.running) return;
  sweep.running = false;
  sweep.ended = sentence;
  say(state, sentence);  // Landscape shows it no more when another problem has been chosen
  if (SweepCell* cell = running_cell(state)) cell->state = SweepCell::State::queued;
}

void Sweeper::stop_by_hand(AppState& state) {
  const Sweep& sweep = state.of<Sweeping>().sweep;
  if (!sweep.running) return;
  const SweepProgress p = progress_of(sweep);
  stop(state, wording("Stopped the sweep of {} after {} of {} tiles; what was measured stays.",
                      sweep.kernel, p.done + p.failed, p.all));
}

void Sweeper::update(AppState& state, const Surroundings& others) {
  Sweep& sweep = state.of<Sweeping>().sweep;
  if (std::exchange(state.of<Sweeping>().stop_wanted, false)) stop_by_hand(state);
  if (!state.of<Sweeping>().wanted.empty()) begin(state);
  if (!sweep.running) return;
  if (const std::string outdated = sweep_outdated(state, sweep); !outdated.empty()) {
    return stop(state, outdated);
  }
  const bool idle = others.edit_rests(state);
  if (!idle && !calls_.idle()) {  // the card is wanted: this tile has its turn again later
    calls_.drop();
    if (SweepCell* cell = running_cell(state)) cell->state = SweepCell::State::queued;
  }
  if (idle && calls_.idle()) measure_next(state, others.time_limit);
}

void Sweeper::without_worker(AppState& state, const std::string& why) {
  if (!std::exchange(state.of<Sweeping>().wanted, {}).empty()) say(state, why);
}

Busy Sweeper::busy(const AppState& state) const {
  return state.of<Sweeping>().sweep.running ? Busy::beside : Busy::no;
}

void Sweeper::drop(AppState& state, Lost what) {
  if (what == Lost::stopped) stop_by_hand(state);
  if (what != Lost::worker) return;  // update() sees whether it is outdated
  calls_.drop();
  if (SweepCell* cell = running_cell(state)) cell->state = SweepCell::State::queued;
}

void Sweeper::measure_next(AppState& state, double time_limit) {
  Sweep& sweep = state.of<Sweeping>().sweep;
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
  edit.change_rung().kernel = sweep.kernel, edit.change_rung().tile = next->tile,
  edit.problem = sweep.problem;
  // The library is timed beside the present tile; compiled is behind what somebody waits for.
  calls_.ask<calls::Measure>(
      sweep.device,
      {.of = kernel_of(state, edit),
       .seconds = kSeconds,
       .time_limit = time_limit,
       .library = false,
       .store = state.store},
      {.done = [this, edit](AppState& s,
                            const calls::Measure::Answer& answer) { take(s, answer, edit); },
       .failed = [this](AppState& s, const CallError& error) { fail(s, error); }},
      {.prefetch = true});
}

void Sweeper::take(AppState& state, const calls::Measure::Answer& answer, const Edit& edit) {
  const worker::MeasureResult& measured = answer.result;
  SweepCell* cell = running_cell(state);
  if (!cell) return;
  state.of<Sweeping>().sweep.seconds += state.now - begun_;
  if (!measured.tflops) {
    cell->state = SweepCell::State::failed;
    cell->error = measured.verified ? wording("the result is wrong: {}, tolerance {:.1e}",
                                              worker::error_words(*measured.verified),
                                              measured.verified->tolerance)
                                    : tr("the card gave no time");
    return;
  }
  cell->state = SweepCell::State::done;
  if (!answer.not_kept.empty()) {
    Sweep& sweep = state.of<Sweeping>().sweep;
    if (sweep.not_kept++ == 0) {
      sweep.why_not_kept = answer.not_kept;
      say(state, answer.not_kept);
    }
  }
  learn_result(state, edit, measured, answer.arch, answer.revision);
}

void Sweeper::fail(AppState& state, const CallError& error) {
  SweepCell* cell = running_cell(state);
  if (!cell) return;
  if (error.needs_reset) {
    link_.devices_outdated = true;
    const Sweep& sweep = state.of<Sweeping>().sweep;
    const SweepProgress p = progress_of(sweep);
    return stop(state, wording("The sweep of {} ended after {} of {} tiles: {} What was "
                               "measured stays.",
                               sweep.kernel, p.done + p.failed, p.all, retold(error.message)));
  }
  state.of<Sweeping>().sweep.seconds += state.now - begun_;
  cell->state = SweepCell::State::failed;
  cell->error = error.message;
}

}  // namespace tilescope
