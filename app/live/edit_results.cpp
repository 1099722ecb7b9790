// After the trace: counts, verification and checks, then a measurement or what was recorded of one.
#include "app/live/edit_runner.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/known_results.h"
#include "app/state/private_copy.h"

namespace tilescope {

using worker::CallError;
namespace calls = worker::calls;

namespace {

/// A launch that is emulated whole before anything is said of it. Of a larger one a CTA of each
/// class comes first, within the blink of a save; the Verifier brings the rest, part by part.
worker::EmulationScope first_scope(const Problem& p) {
  constexpr double kWholeAtOnce = 320.0 * 320 * 320;
  return 1.0 * p.m * p.n * p.k <= kWholeAtOnce ? worker::EmulationScope::whole
                                               : worker::EmulationScope::classes;
}

}  // namespace

/// Asked beside the trace.
void EditRunner::request_counts(AppState& state) {
  running_.ask<calls::Emulate>(
      {.of = kernel_of(state, state.edit),
       .code = {.ptx = state.results.compile->ptx},
       .scope = first_scope(state.edit.problem)},
      {.done =
           [this](AppState& s, calls::Emulate::Answer answer) {
             Results& r = s.results;
             r.emulated = std::move(answer.result);
             r.findings = r.emulated->checks.findings;
             r.findings.insert(r.findings.end(), r.emulated->findings.begin(),
                               r.emulated->findings.end());
             after_counts(s);
           },
       .failed =
           [this](AppState& s, const CallError& error) {
             fail(s, error);
             if (!error.cancelled && s.results.compile->registers == 0) request_registers(s);
           },
       .progress =
           [](AppState& s, const worker::Progress& progress) {
             if (progress.all.value_or(0) == 0) return;
             s.results.emulate_done = static_cast<double>(progress.done.value_or(0)) /
                                      static_cast<double>(*progress.all);
           }});
}

void EditRunner::after_counts(AppState& state) {
  if (!state.results.trace && trace_.idle()) request_trace(state);  // it was stopped
  goes_on_ = !trace_.idle();
  if (!goes_on_) go_on(state);
}

/// Trace and counts are there.
void EditRunner::go_on(AppState& state) {
  // Not beside the emulator: where cores are two it would take one of them.
  if (state.results.compile->registers == 0 && registers_.idle()) request_registers(state);
  if (state.results.measured) return finish(state);
  request_measured(state);
  request_neighbours(state);
}

void EditRunner::check_all(AppState& state) {
  Results& r = state.results;
  if (!link_.client || r.edit_serial != state.edit_serial || !r.emulated || !r.compile) return;
  if (r.stage == Stage::compiling) return;              // anew: the checks come with it
  if (r.stage == Stage::measuring) r.measured.reset();  // of samples: it comes again behind them
  running_.drop();
  goes_on_ = false;
  r.stage = Stage::checking;
  r.stage_since = state.now;
  running_.ask<calls::Check>(
      {.of = kernel_of(state, state.edit), .code = {.ptx = r.compile->ptx}, .whole_k = true},
      {.done =
           [this](AppState& s, worker::CheckResult result) {
             Results& now = s.results;
             now.emulated->checks = std::move(result);
             now.findings = now.emulated->checks.findings;
             now.findings.insert(now.findings.end(), now.emulated->findings.begin(),
                                 now.emulated->findings.end());
             after_counts(s);  // a measurement, say, which it came before
           },
       .failed = failure()});
}

void EditRunner::request_measured(AppState& state) {
  state.results.of.reset();
  // What the devices are is asked once, at the start: no recording stands where a card's figure
  // will.
  if (state.device.empty()) {
    state.results.stage = Stage::queued;  // follow_device() comes back to it
  } else if (is_card(state.device)) {
    request_measurement(state);
  } else if (is_recording(state.device)) {
    request_recording(state);
  } else {
    finish(state);
  }
}

void EditRunner::request_recording(AppState& state) {
  calls::Recorded::Request asked{request_of(state.edit, state.limits.sm_count)};
  asked.name = state.device.substr(state.device.find(':') + 1);
  asked.whole_name = true;
  if (is_own_recording(state.device)) asked.store = state.store;
  running_.ask<calls::Recorded>(
      asked, {
                 .done =
                     [this](AppState& s, calls::Recorded::Answer found) {
                       if (!found.remark.empty()) say(s, found.remark);
                       if (!found.result) return finish(s);
                       const std::string &arch = found.arch, &revision = found.revision;
                       s.results.measured = std::move(found.result);
                       if (found.counters) s.results.counters = std::move(found.counters);
                       if (revision.empty() || arch.empty() || arch == s.results.compile->arch) {
                         take_recording(
                             s, !revision.empty() && revision != s.results.compile->revision);
                       } else {
                         request_revision(s, arch, revision);
                       }
                     },
                 .failed = [this](AppState& s,
                                  const CallError&) { finish(s); },  // as good as no recording
             });
}

void EditRunner::take_recording(AppState& state, bool older) {
  state.results.measured->older_kernel = older;
  if (state.results.counters) state.results.counters->older_kernel = older;
  // One's own kernel is not what was recorded.
  if (older && !sources_folder(state).empty()) {
    state.results.measured.reset();
    state.results.counters.reset();
  }
  finish(state);
}

/// Recorded for another architecture than the present PTX is of: only that one can be compared.
void EditRunner::request_revision(AppState& state, const std::string& arch,
                                  const std::string& revision) {
  running_.ask<calls::Compile>(
      {.of = {request_of(state.edit, state.limits.sm_count), arch}, .ptx_is_enough = true},
      {
          .done =
              [this, revision](AppState& s, const calls::Compile::Answer& compiled) {
                take_recording(s, revision != compiled.result.revision);
              },
          .failed = [this](AppState& s, const CallError&) { finish(s); },
      });
}

void EditRunner::request_measurement(AppState& state) {
  state.results.stage = Stage::measuring;
  state.results.stage_since = state.now;
  running_.ask<calls::Measure>(
      state.device,
      {.of = kernel_of(state, state.edit), .time_limit = time_limit_, .store = state.store},
      {.done =
           [this](AppState& s, const calls::Measure::Answer& answer) {
             Results& r = s.results;
             r.measured = answer.result;
             // A card that NVRTC does not list has no cubin: its driver knows the
             // registers.
             if (r.compile->registers == 0 && r.measured->registers) {
               r.compile->registers = *r.measured->registers;
               r.compile->spill_bytes = r.measured->spill_bytes.value_or(0);
             }
             if (!answer.not_kept.empty()) say(s, answer.not_kept);
             learn_result(s, s.edit, *r.measured, answer.arch, answer.revision);
             finish(s);
           },
       .failed =
           [this](AppState& s, const CallError& error) {
             s.results.measured.reset();  // of samples before the failure
             fail(s, error);
           },
       .progress =
           [](AppState& s, const worker::Progress& progress) {
             if (progress.measured) s.results.measured = progress.measured;
           }},
      {.slot = slot_});
}

}  // namespace tilescope
