#include "app/state/scene_words.h"

#include "app/state/present.h"
#include "app/state/present_launch.h"

namespace tilescope {

viz::Selection scene_selection(const AppState& state) {
  const Selection& s = state.selection;
  viz::Selection out;
  out.cta = s.cta;
  out.warp = s.warp;
  out.mma_m = s.mma_m, out.mma_n = s.mma_n;
  out.lane = s.lane;
  out.output = s.operand == Operand::c ? s.value : 0;
  return viz::clamped(out, state.derived.plan);
}

viz::Moment scene_moment(const AppState& state, const Moment& moment) {
  viz::Moment out;
  out.k_slice = moment.k_slice >= 0 ? moment.k_slice : state.playhead.k_step;
  out.k_step = moment.k_step_in_slice >= 0 ? moment.k_step_in_slice : 0;
  return viz::clamped(out, state.derived.plan);
}

bool trace_is_of_choice(const AppState& state) {
  const Results& r = present_results(state);
  if (!r.trace) return false;
  if (state.edit.own()) return r.trace->cta == chosen_block(state);
  return r.trace->tile == state.selection.cta;
}

viz::Standing scene_standing(Standing standing) {
  switch (standing) {
    case Standing::measured:
      return viz::Standing::measured;
    case Standing::recorded:
      return viz::Standing::recorded;
    case Standing::modelled:
      return viz::Standing::modelled;
    case Standing::emulated:
    case Standing::none:
      break;
  }
  return viz::Standing::none;
}

}  // namespace tilescope
