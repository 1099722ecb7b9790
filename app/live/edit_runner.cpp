#include "app/live/edit_runner.h"

#include <algorithm>
#include <utility>

#include "app/state/device.h"
#include "app/state/found.h"
#include "app/state/history.h"
#include "app/state/playback.h"

namespace tilescope {
namespace {

using worker::CallError;
namespace calls = worker::calls;

constexpr double kDebounce = 0.040;  // seconds: the hand rests

int shown_slice(const AppState& state) {
  return std::clamp(state.playhead.k_step, 0, std::max(0, state.derived.plan.work.k_slices - 1));
}
/// The CTA that works on the chosen slice of the chosen tile, and as which of its work items.
TileWorker shown_worker(const AppState& state) {
  const Derived& d = state.derived;
  return worker_of(d.plan.work, state.selection.cta, shown_slice(state));
}

bool runnable(const AppState& state) { return state.derived.legal() && state.derived.kernel; }

void clear_error(Results& results) {
  results.error.clear();
  results.error_details.clear();
  results.compile_log.clear();
  results.instead.reset();
}

}  // namespace

void fail_results(Results& results, const CallError& error) {
  results.stage = Stage::failed;
  results.error = error.message;
  if (!error.log.empty()) results.error_details = results.compile_log = error.log;
  if (error.findings) results.findings = *error.findings;
  results.instead = error.instead;
}

void EditRunner::fail(AppState& state, const CallError& error) {
  if (error.cancelled) {  // not by us: what we cancel, we do not hear of any more
    state.results.stage = Stage::idle;
    return;
  }
  fail_results(state.results, error);
  if (error.needs_reset) link_.devices_outdated = true;  // the card is gone
}

EditRunner::Answered EditRunner::failure() {
  return [this](AppState& state, const CallError& error) { fail(state, error); };
}

bool EditRunner::rests(const AppState& state) const {
  return running_.idle() && trace_.idle() &&
         (begun_ == state.edit_serial || !state.derived.legal());
}

Busy EditRunner::busy(const AppState& state) const {
  const bool due = link_.client && begun_ != state.edit_serial && runnable(state);
  return due || !running_.idle() || !trace_.idle() || !registers_.idle() ? Busy::awaited : Busy::no;
}

void EditRunner::without_worker(AppState& state, const std::string& why) {
  if (!state.results.error.empty()) return;
  state.results.error = why;
  state.results.stage = Stage::failed;
}

void EditRunner::debounce(AppState& state) {
  changed_at_ = state.now;
  state.results.stage = state.derived.legal() ? Stage::debouncing : Stage::idle;
  if (state.derived.legal()) state.results.stage_since = state.now;
}

void EditRunner::drop_own() {
  running_.drop();
  trace_.drop();
  goes_on_ = false;
}

void EditRunner::drop(AppState& state, Lost what) {
  switch (what) {
    case Lost::edit:
      drop_own();
      registers_.drop();
      clear_error(state.results);
      if (take_found(state)) return resume(state);
      return debounce(state);
    case Lost::device:
      return follow_device(state);
    case Lost::stopped: {
      const bool counted = goes_on_;  // once the trace is asked for again, there is more to be done
      drop_own();
      goes_on_ = counted;
      registers_.drop();
      ahead_.drop();
      stopped_ = true;
      // Nor does it go on by itself.
      begun_ = state.edit_serial;
      traced_cta_ = state.selection.cta;
      traced_k_ = state.playhead.k_step;
      if (state.results.stage != Stage::failed) state.results.stage = Stage::idle;
      return;
    }
    case Lost::again:
      drop_own();
      begun_ = 0;
      changed_at_ = 0;
      clear_error(state.results);
      return;
    case Lost::worker:
      drop_own();
      registers_.drop();
      ahead_.drop();
      return;
  }
}

bool EditRunner::files_changed(AppState& state) {
  // What is shown belongs to the files as they were.
  state.results.edit_serial = 0;
  if (stopped_) return false;
  drop(state, Lost::again);
  debounce(state);  // an editor may be writing still
  return true;
}

/// Another device: measured there, and begun anew if it needs other code.
void EditRunner::follow_device(AppState& state) {
  const bool first = !std::exchange(device_known_, !state.device.empty());
  if (first && stopped_) return;            // no choice, and no reason to go on
  if (begun_ != state.edit_serial) return;  // not begun yet
  if (!state.derived.legal()) {
    drop_own();
    state.results.stage = Stage::idle;
    return;
  }
  const bool counted = state.results.edit_serial == state.edit_serial && state.results.emulated &&
                       (state.results.trace || !trace_.idle());
  if (arch_ != arch_of(state) || (!counted && state.results.stage == Stage::failed)) {
    return drop(state, Lost::again);
  }
  if (!counted || goes_on_) return;  // its turn comes
  running_.drop();
  state.results.measured.reset();
  clear_error(state.results);
  if (trace_.idle()) return request_measured(state);
  goes_on_ = true;  // behind the trace: else it would be of a busy machine
  state.results.stage = Stage::tracing;
}

void EditRunner::update(AppState& state, const Surroundings& others) {
  time_limit_ = others.time_limit;
  compile_ahead_ = others.compile_ahead;
  const bool rested = state.now - changed_at_ >= kDebounce || changed_at_ == 0;
  if (begun_ != state.edit_serial) {
    if (rested && runnable(state)) begin(state);
    return;
  }
  // Beside the counts it may; beside a measurement not, which would be of a busy machine; nor while
  // it is compiled anew, since what there is is not of the code to come.
  const bool counts = !state.results.emulated && state.results.stage != Stage::compiling;
  const bool may_trace = trace_.idle() && (running_.idle() || counts);
  if (!state.results.compile || state.results.edit_serial != state.edit_serial || !may_trace ||
      !state.derived.legal() || state.results.stage == Stage::failed) {
    return;
  }
  // The trace follows the chosen CTA and k step.
  const bool other_cta = !(traced_cta_ == state.selection.cta);
  bool has_k = false;
  if (state.results.timeline) {
    for (const auto& slice : state.results.timeline->slices()) {
      has_k = has_k || slice.k_step == state.playhead.k_step;
    }
  }
  if (other_cta || (!has_k && traced_k_ != state.playhead.k_step)) request_trace(state);
}

/// All of it is known from before, but for the trace of another CTA: update() sees to that.
void EditRunner::resume(AppState& state) {
  begun_ = state.edit_serial;
  changed_at_ = 0;
  stopped_ = false;
  arch_ = arch_of(state);
  traced_cta_ = state.results.traced_tile;
  traced_k_ = state.results.traced_k;
  ahead_.drop();
  if (state.results.compile && state.results.compile->registers == 0) request_registers(state);
  settle_playhead(state);
  finish(state);
  request_neighbours(state);
}

void EditRunner::begin(AppState& state) {
  begun_ = state.edit_serial;
  drop_own();
  registers_.drop();
  ahead_.drop();
  stopped_ = false;
  arch_ = arch_of(state);
  Results& r = state.results;
  r.stage = Stage::compiling;
  r.stage_since = state.now;
  // PTX is enough for the steps; the assembler takes a third of the time.
  running_.ask<calls::Compile>({.of = kernel_of(state, state.edit), .ptx_is_enough = true},
                               {.done =
                                    [this](AppState& s, calls::Compile::Answer compiled) {
                                      s.results = {};
                                      s.results.edit_serial = s.edit_serial;
                                      s.results.compile = std::move(compiled.result);
                                      trace_.drop();  // of the code before
                                      goes_on_ = false;
                                      request_trace(s);
                                      request_counts(s);
                                    },
                                .failed =
                                    [this](AppState& s, const CallError& error) {
                                      // What is known is not of what stands now: that does not
                                      // compile.
                                      if (!error.cancelled) s.results.edit_serial = 0;
                                      fail(s, error);
                                    }},
                               {.slot = slot_});
}

/// The whole compile, behind what is waited for: it leaves one compiler free for the next edit.
void EditRunner::request_registers(AppState& state) {
  registers_.ask<calls::Compile>({.of = kernel_of(state, state.edit)},
                                 {.done =
                                      [](AppState& s, const calls::Compile::Answer& whole) {
                                        if (!s.results.compile) return;
                                        worker::CompileResult& compile = *s.results.compile;
                                        compile.registers = whole.result.registers;
                                        compile.spill_bytes = whole.result.spill_bytes;
                                        compile.compile_ms = whole.result.compile_ms;
                                      }},
                                 {.prefetch = true});
}

void EditRunner::request_trace(AppState& state) {
  Results& r = state.results;
  r.stage = Stage::tracing;
  r.stage_since = state.now;
  traced_cta_ = state.selection.cta;
  traced_k_ = shown_slice(state);
  const TileWorker worker = shown_worker(state);
  trace_.ask<calls::Trace>(
      {.of = kernel_of(state, state.edit),
       .code = {.ptx = r.compile->ptx},
       .cta = block_index(state.derived.launch, worker.cta),
       .item = worker.item,
       .k_step = traced_k_},
      {.done =
           [this, tile = traced_cta_, k = traced_k_](AppState& s, worker::TraceResult answer) {
             auto trace = std::make_shared<worker::TraceResult>(std::move(answer));
             s.results.timeline = std::make_shared<Timeline>(*trace);
             s.results.trace = std::move(trace);
             s.results.traced_tile = tile, s.results.traced_k = k;
             settle_playhead(s);
             if (std::exchange(goes_on_, false)) return go_on(s);
             if (s.results.stage != Stage::tracing) return;  // the counts have failed
             if (!s.results.emulated && running_.idle()) request_counts(s);  // cancelled before
             s.results.stage = running_.idle() ? Stage::done : Stage::emulating;
             s.results.stage_since = s.now;
           },
       .failed =
           [this](AppState& s, const CallError& error) {
             running_.drop();  // the counts would say the same once more
             goes_on_ = false;
             fail(s, error);
           }});
}

void EditRunner::finish(AppState& state) {
  state.results.stage = Stage::done;
  state.results.stage_since = state.now;
  state.results.of = found_for(state, state.edit);
  remember_result(state);
}

}  // namespace tilescope
