#include "app/state/present.h"

namespace tilescope {

bool has_failed(const AppState& state) {
  return state.results.stage == Stage::failed || !state.results.error.empty();
}

Trust trust_of(const AppState& state) {
  const bool runnable = state.derived.legal() || state.edit.own();
  if (state.results.edit_serial != state.edit_serial || !runnable) return Trust::none;
  return has_failed(state) ? Trust::shaken : Trust::whole;
}

const Results& present_results(const AppState& state) {
  static const Results kNone;
  return trust_of(state) == Trust::none ? kNone : state.results;
}

}  // namespace tilescope
