#include "app/state/residency.h"

#include "app/state/present.h"

namespace tilescope {

const worker::CompileResult* compiled(const AppState& state) {
  const Results& r = present_results(state);
  return r.compile && r.compile->registers > 0 ? &*r.compile : nullptr;
}

Residency residency(const AppState& state) {
  Residency r;
  const worker::CompileResult* told = compiled(state);
  r.estimated = told == nullptr;
  r.occupancy = model::occupancy(state.derived.launch, state.limits,
                                 told ? std::optional<int>(told->registers) : std::nullopt);
  r.ctas_per_wave = r.occupancy.ctas_per_sm * state.limits.sm_count;
  if (r.ctas_per_wave > 0) {
    r.waves = model::waves(state.derived.launch, state.limits, r.occupancy);
  }
  return r;
}

}  // namespace tilescope
