#include "app/features/own/own_measurer.h"

#include <utility>

#include "app/features/own/own_view.h"
#include "app/state/device.h"
#include "app/state/history.h"
#include "app/state/would_fault.h"

namespace tilescope {
namespace {

namespace calls = worker::calls;

void take_measured(AppState& state, calls::Measure::Answer answer) {
  OwnView& view = state.of<OwnView>();
  Results& r = state.results;
  r.measured = std::move(answer.result);
  r.stage = Stage::done;
  r.stage_since = state.now;
  if (r.compile && r.compile->registers == 0 && r.measured->registers) {
    r.compile->registers = *r.measured->registers;
    r.compile->spill_bytes = r.measured->spill_bytes.value_or(0);
  }
  view.on_card = OwnView::OnCard{std::move(answer.gemm), std::move(answer.expected),
                                 std::move(answer.printed), std::move(answer.remarks)};
  remember_result(state);
}

}  // namespace

bool OwnMeasurer::due(const AppState& state) const {
  const Results& r = state.results;
  return state.edit.own() && state.own_launch && state.own_launch != begun_ &&
         is_card(state.device) && r.edit_serial == state.edit_serial && r.stage == Stage::done &&
         r.emulated && !would_fault(r);
}

void OwnMeasurer::update(AppState& state, const Surroundings& others) {
  // Another sheet, or the file as it is now: what comes of the one before is not this one's.
  if (begun_ && begun_ != state.own_launch) {
    forget_samples(state);
    begun_.reset();
  }
  if (due(state)) measure(state, others.time_limit);
}

void OwnMeasurer::measure(AppState& state, double time_limit) {
  begun_ = state.own_launch;
  OwnView& view = state.of<OwnView>();
  view.on_card.reset();
  state.results.stage = Stage::measuring;
  state.results.stage_since = state.now;
  calls::Measure::Request request{.launch = *begun_, .time_limit = time_limit};
  request.other = view.other, request.other_args = view.other_args;
  if (!view.other && request.launch->sheet->expect) request.launch->sheet->expect->kernel.reset();
  const bool of_card = view.opened && view.opened->arch == arch_of(state);
  if (of_card && !view.opened->cubin.empty()) request.code.cubin = view.opened->cubin;
  calls_.ask<calls::Measure>(state.device, request,
                             {.done = take_measured,
                              .failed =
                                  [this](AppState& s, const worker::CallError& error) {
                                    Results& r = s.results;
                                    r.measured.reset();  // of samples before the failure
                                    if (error.needs_reset) link_.devices_outdated = true;
                                    r.stage = error.cancelled ? Stage::idle : Stage::failed;
                                    if (error.cancelled) return;
                                    r.error = error.message;
                                    r.error_details = error.log;
                                  },
                              .progress =
                                  [](AppState& s, const worker::Progress& progress) {
                                    if (progress.measured) s.results.measured = progress.measured;
                                  }},
                             {.slot = "edit"});
}

Busy OwnMeasurer::busy(const AppState& state) const {
  return (link_.client && due(state)) || !calls_.idle() ? Busy::awaited : Busy::no;
}

/// What is under way comes to nothing.
bool OwnMeasurer::forget_samples(AppState& state) {
  Results& r = state.results;
  // Others may have begun with another edit's results by now.
  const bool was_measuring = !calls_.idle() && r.stage == Stage::measuring;
  calls_.drop();
  if (was_measuring) r.stage = Stage::idle, r.measured.reset();
  return was_measuring;
}

void OwnMeasurer::drop(AppState& state, Lost what) {
  Results& r = state.results;
  const bool was_measuring = forget_samples(state);
  if (what == Lost::stopped) {
    begun_ = state.own_launch;  // nor does it go on by itself
    return;
  }
  begun_.reset();
  const bool here = r.edit_serial == state.edit_serial && r.emulated && state.edit.own();
  if (what != Lost::device || !here) return;
  // What another card said is not this one's; what the emulator said stays.
  state.of<OwnView>().on_card.reset();
  r.measured.reset();
  r.error.clear(), r.error_details.clear();
  if (was_measuring || r.stage == Stage::failed) r.stage = Stage::done;
}

}  // namespace tilescope
