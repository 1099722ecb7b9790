#include "app/features/compare/measured_turns.h"

#include <utility>

#include "app/state/device.h"
#include "app/state/second.h"
#include "app/state/would_fault.h"
#include "core/language/language.h"
#include "core/model/median.h"

namespace tilescope {
namespace {

namespace calls = worker::calls;

constexpr double kTurnSeconds = 0.25;  // of samples

/// Why one of the two cannot be timed, in a sentence; empty: it can. `older`: it is launched as its
/// source was when it was pinned, a rung from the PTX of then.
std::string why_no_launch(const AppState& side, bool older, const char* name) {
  if (side.edit.own()) {
    if (!side.own_launch) {
      return wording("{} has not been run yet: confirm its launch sheet first, then pin it.", name);
    }
    return would_fault(side.results)
               ? wording("{} would end with a fault, see Findings: it is not launched.", name)
               : std::string();
  }
  if (!side.derived.legal()) {
    return wording("{} cannot be launched: {}", name, side.derived.sentence);
  }
  if (older && !side.results.compile) {
    return wording("{} is of the source as it was before it was saved, and was not compiled then.",
                   name);
  }
  return {};
}

/// What is asked of the card, of one of the two.
calls::Measure::Request request_of(const AppState& side, bool older, double time_limit) {
  calls::Measure::Request request{
      .seconds = kTurnSeconds, .time_limit = time_limit, .library = false};
  if (side.edit.own()) {
    request.launch = *side.own_launch;
    // Timed alone: whether it is right was told by the run that is shown.
    if (request.launch->sheet) request.launch->sheet->expect.reset();
    return request;
  }
  request.of = kernel_of(side, side.edit);
  if (older) {
    const worker::CompileResult& compiled = *side.results.compile;
    request.code.ptx = compiled.ptx;
    request.code.compiled = compiled;
    request.code.compiled->ptx.clear();
  }
  return request;
}

}  // namespace

std::string why_no_turns(const AppState& state) {
  const AppState* b = second_of(state);
  if (!b) return "There is no B: pin one first (Ctrl+B).";
  if (!is_card(state.device)) {
    return "A card measures, and none is chosen: the figures are what was recorded, or modelled.";
  }
  if (b->device != state.device) return "A and B are on two devices: each is measured by itself.";
  const std::string why = why_no_launch(state, false, "A");
  return why.empty() ? why_no_launch(*b, second_is_older(state), "B") : why;
}

bool turns_are_present(const AppState& state) {
  const Turns& t = state.of<Turns>();
  const AppState* b = second_of(state);
  return b && t.a_serial == state.edit_serial && t.b_serial == b->edit_serial &&
         t.device_serial == state.device_serial && t.files_serial == state.kernel_files_serial &&
         t.a_launch == state.own_launch && t.b_launch == b->own_launch;
}

std::optional<Turns::Sample> turns_median(const AppState& state) {
  const Turns& t = state.of<Turns>();
  if (!turns_are_present(state) || t.samples.empty()) return {};
  std::vector<double> a, b;
  for (const Turns::Sample& s : t.samples) a.push_back(s.a_us), b.push_back(s.b_us);
  return Turns::Sample{model::median(std::move(a)), model::median(std::move(b))};
}

void TurnsAsker::ask(AppState& state, bool first) {
  const AppState& side = first ? state : *second_of(state);
  calls_.ask<calls::Measure>(state.device,
                             request_of(side, !first && second_is_older(state), time_limit_),
                             {.done =
                                  [this, first](AppState& s, const calls::Measure::Answer& answer) {
                                    Turns& t = s.of<Turns>();
                                    // B may be another one since, or none.
                                    t.running = t.running && turns_are_present(s);
                                    if (!t.running) return;
                                    if (!answer.result.time_us) {
                                      t.error = "The card gave no time.";
                                      t.running = false;
                                      return;
                                    }
                                    if (first) {
                                      t.a_alone = answer.result.time_us;
                                      return ask(s, false);
                                    }
                                    t.samples.push_back({*t.a_alone, *answer.result.time_us});
                                    t.a_alone.reset();
                                    t.running = static_cast<int>(t.samples.size()) < Turns::kRounds;
                                    if (t.running) ask(s, true);
                                  },
                              .failed =
                                  [](AppState& s, const worker::CallError& error) {
                                    Turns& t = s.of<Turns>();
                                    t.running = false;
                                    if (!error.cancelled) t.error = error.message;
                                  }},
                             {.slot = "turns"});
}

void TurnsAsker::update(AppState& state, const Surroundings& others) {
  Turns& t = state.of<Turns>();
  time_limit_ = others.time_limit;
  if (t.running && !turns_are_present(state)) {
    calls_.drop();
    t.running = false;
  }
  if (!t.wanted || t.running || !others.all_rest(state, this)) return;
  t.wanted = false;
  t.samples.clear(), t.a_alone.reset();
  t.error = why_no_turns(state);
  if (!t.error.empty()) return;
  t.a_serial = state.edit_serial, t.b_serial = second_of(state)->edit_serial;
  t.device_serial = state.device_serial, t.device = state.gpu.name;
  t.files_serial = state.kernel_files_serial;
  t.a_launch = state.own_launch, t.b_launch = second_of(state)->own_launch;
  t.running = true;
  ask(state, true);
}

void TurnsAsker::without_worker(AppState& state, const std::string& why) {
  Turns& t = state.of<Turns>();
  if (!t.wanted) return;
  t.wanted = false, t.error = why;
}

Busy TurnsAsker::busy(const AppState& state) const {
  const Turns& t = state.of<Turns>();
  return t.running || t.wanted ? Busy::awaited : Busy::no;
}

void TurnsAsker::drop(AppState& state, Lost what) {
  if (what == Lost::again) return;
  calls_.drop();
  Turns& t = state.of<Turns>();
  t.running = t.wanted = false;
  t.a_alone.reset();
}

}  // namespace tilescope
