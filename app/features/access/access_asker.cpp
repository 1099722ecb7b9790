#include "app/features/access/access_asker.h"

#include <utility>

#include "app/state/present.h"

namespace tilescope {

using worker::calls::Accesses;

void AccessAsker::ask(AppState& state, const AccessQuestion& question) {
  Accesses::Request request;
  request.cta = question.cta;
  request.whole_grid = question.whole_grid;
  if (question.launch) {
    request.launch = *question.launch;
  } else {
    request.of = kernel_of(state, state.edit);
    request.code.ptx = present_results(state).compile->ptx;
  }
  calls_.drop();
  asked_ = question;
  calls_.ask<Accesses>(request,
                       {.done =
                            [this, question](AppState& s, worker::AccessAnswer answer) {
                              asked_.reset();
                              take_accesses(s.of<AccessView>(), question, std::move(answer));
                            },
                        .failed =
                            [this, question](AppState& s, const worker::CallError& error) {
                              asked_.reset();
                              AccessView& view = s.of<AccessView>();
                              view.of = question;
                              view.data.reset();
                              view.error = error.message, view.details = error.log;
                            }},
                       {.slot = "accesses"});
}

void AccessAsker::update(AppState& state, const Surroundings& others) {
  AccessView& view = state.of<AccessView>();
  const bool wanted = std::exchange(view.wanted, false);
  const auto question = access_question(state);
  pending_ = wanted && question && view.of != question && asked_ != question;
  // The edit's own trace and counts come first: the emulator does one thing after the other.
  if (!pending_ || (!question->launch && !others.edit_rests(state))) return;
  pending_ = false;
  ask(state, *question);
}

void AccessAsker::without_worker(AppState& state, const std::string& why) {
  AccessView& view = state.of<AccessView>();
  if (!std::exchange(view.wanted, false)) return;
  view.of = access_question(state);
  view.data.reset();
  view.error = why;
}

Busy AccessAsker::busy(const AppState&) const {
  return pending_ || asked_ ? Busy::awaited : Busy::no;
}

void AccessAsker::drop(AppState& state, Lost what) {
  if (what == Lost::device) return;  // it runs in the emulator
  calls_.drop();
  AccessView& view = state.of<AccessView>();
  if (what == Lost::stopped && asked_) {
    view.of = asked_;
    view.data.reset();
    view.error = "Stopped; Run again asks once more.";
  }
  if (what == Lost::again || what == Lost::worker) view.of.reset();
  asked_.reset();
  pending_ = false;
}

}  // namespace tilescope
