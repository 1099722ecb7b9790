#include "app/live/origin_asker.h"

#include <utility>

namespace tilescope {

using worker::OriginResult;

void OriginAsker::update(AppState& state, const Surroundings&) {
  Origins& o = state.origins;
  // A file of one's own that was saved is another launch of the same edit.
  const bool other = o.serial != state.edit_serial || of_ != state.own_launch;
  if (other && !o.running) o.asked.reset(), o.answer.reset(), o.error.clear();
  const bool fresh = o.wanted && (o.wanted != o.asked || o.serial != state.edit_serial);
  const bool known = state.edit.own() ? state.own_launch != nullptr : state.derived.legal();
  if (fresh && !o.running && known && state.results.compile) ask(state);
  // Nobody points any more: what was lit goes out.
  if (!o.wanted && o.answer) {
    o.asked.reset(), o.answer.reset(), o.error.clear();
  }
  o.wanted.reset();
}

void OriginAsker::without_worker(AppState& state, const std::string&) {
  state.origins.wanted.reset();
}

Busy OriginAsker::busy(const AppState& state) const {
  return state.origins.running ? Busy::awaited : Busy::no;
}

void OriginAsker::drop(AppState& state, Lost what) {
  if (what != Lost::worker) return;
  calls_.drop();
  state.origins.running = false;
}

void OriginAsker::ask(AppState& state) {
  Origins& o = state.origins;
  o.asked = o.wanted;
  o.serial = state.edit_serial;
  of_ = state.own_launch;
  o.running = true;
  o.answer.reset();
  o.error.clear();
  worker::calls::Origin::Request request{.question = *o.asked};
  if (state.own_launch) {
    request.launch = *state.own_launch;
  } else {
    request.of = worker::calls::Kernel{request_of(state.edit, state.limits.sm_count)};
    request.code.ptx = state.results.compile->ptx;
  }
  calls_.ask<worker::calls::Origin>(request, {.done =
                                                  [](AppState& s, OriginResult result) {
                                                    s.origins.running = false;
                                                    s.origins.answer = std::move(result);
                                                  },
                                              .failed =
                                                  [](AppState& s, const worker::CallError& error) {
                                                    s.origins.running = false;
                                                    s.origins.error = error.message;
                                                  }});
}

}  // namespace tilescope
