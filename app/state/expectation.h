// What the model expects of the present tile. Some things become known only after the sliders have
// come to rest, and then make the prediction better: registers and spills when the kernel has been
// compiled, bytes from DRAM when the L2 has been simulated.
#pragma once
#include "app/state/app_state.h"

namespace tilescope {

/// What the simulation of the L2 follows from.
struct L2Question {
  KernelPlan plan;
  Problem problem;
  model::L2Machine machine;
  bool operator==(const L2Question&) const = default;
};
/// The tile must be legal.
L2Question l2_question(const AppState& state);
/// Whether `derived.l2` is of the present tile, compiled as it is now.
bool l2_known(const AppState& state);
void take_l2(AppState& state, const L2Question& of, const model::L2Traffic& traffic);

/// Once per frame: predicts again where the compiler has told more since.
void expect_again(AppState& state);

/// The model's traffic; what comes from DRAM as the L2 lets it through, where that is known.
model::Traffic expected_traffic(const AppState& state);
/// Bytes that come from DRAM by the simulation; nothing until it is done.
std::optional<double> expected_dram_read(const AppState& state);

}  // namespace tilescope
