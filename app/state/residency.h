// How many CTAs are on the GPU at once, and how often it is filled: for the budget and the Grid.
#pragma once
#include "app/state/app_state.h"

namespace tilescope {

struct Residency {
  model::Occupancy occupancy;
  model::Waves waves;
  bool estimated = true;  // the compiler has not told the registers yet: shown with a ~
  int ctas_per_wave = 0;  // 0: one CTA is more than an SM has
};
Residency residency(const AppState& state);

/// Registers per thread and spilled bytes of the present edit; nullptr until they are known.
const worker::CompileResult* compiled(const AppState& state);

}  // namespace tilescope
