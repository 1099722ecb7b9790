#include "app/live/verifier.h"

#include "app/state/verifying.h"

namespace tilescope {

void Verifier::update(AppState& state, const Surroundings& others) {
  if (!others.verify_beside || !others.all_rest(state, this) || !verification_due(state)) {
    return calls_.drop();
  }
  if (!calls_.idle()) return;
  std::vector<int> groups = next_groups(state);
  if (groups.empty()) return;
  worker::calls::Kernel kernel = kernel_of(state, state.edit);
  kernel.request.sums_of = worker::kSumsWhereProven;  // nobody waits for it
  calls_.ask<worker::calls::VerifyPart>(
      {.of = std::move(kernel), .code = {.ptx = state.results.compile->ptx}, .groups = groups},
      {.done =
           [groups](AppState& s, const worker::calls::VerifyPart::Answer& answer) {
             take_part(s, groups, answer.part);
           },
       .failed =
           [this](AppState& s, const worker::CallError& error) {
             stop_verifying(s);
             s.results.verifying.why_stopped = error.message;
             if (error.fault) failed_(s, error);
           }});
}

void Verifier::without_worker(AppState&, const std::string&) {}

Busy Verifier::busy(const AppState& state) const {
  return !calls_.idle() || verification_due(state) ? Busy::beside : Busy::no;
}

void Verifier::drop(AppState& state, Lost what) {
  calls_.drop();
  if (what == Lost::stopped) stop_verifying(state);
}

}  // namespace tilescope
