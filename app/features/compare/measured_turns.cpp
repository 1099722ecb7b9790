#include "app/features/compare/measured_turns.h"

#include <utility>

#include "app/state/device.h"
#include "app/state/private_copy.h"
#include "app/state/second.h"
#include "core/model/median.h"

namespace tilescope {
namespace {

namespace calls = worker::calls;

constexpr double kTurnSeconds = 0.25;  // of samples

}  // namespace

std::string why_no_turns(const AppState& state) {
  const AppState* b = second_of(state);
  if (!b) return "There is no B: pin one first (Ctrl+B).";
  if (!is_card(state.device)) {
    return "A card measures, and none is chosen: the figures are what was recorded, or modelled.";
  }
  if (b->device != state.device) return "A and B are on two devices: each is measured by itself.";
  if (state.edit.own() || b->edit.own()) {
    return "Kernels of your own are measured by themselves, not in turns.";
  }
  if (!state.derived.legal() || !b->derived.legal()) {
    return "One of the two cannot be launched.";
  }
  if (second_is_older(state)) {
    return "B is of the source as it was before it was saved: its figures are those of then.";
  }
  return {};
}

bool turns_are_present(const AppState& state) {
  const Turns& t = state.of<Turns>();
  const AppState* b = second_of(state);
  return b && t.a_serial == state.edit_serial && t.b_serial == b->edit_serial &&
         t.device_serial == state.device_serial && !second_is_older(state);
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
                             {.of = kernel_of(side, side.edit),
                              .seconds = kTurnSeconds,
                              .time_limit = time_limit_,
                              .library = false},
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
