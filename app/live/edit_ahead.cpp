// What is compiled ahead: where the sliders may go next.
#include "app/live/edit_runner.h"

namespace tilescope {
namespace {

/// Every tile one notch away on one slider, legal ones only.
std::vector<Edit> neighbours(const AppState& state) {
  std::vector<Edit> out;
  const KernelEntry& kernel = *state.derived.kernel;
  for (int i = 0; i < kernel.sliders.count; ++i) {
    const Slider& s = kernel.sliders.slider[i];
    const int now = get(state.edit.rung().tile, s.field);
    for (int j = 0; j < s.count; ++j) {
      if (s.values[j] != now) continue;
      for (int other : {j + 1, j - 1}) {
        if (other < 0 || other >= s.count) continue;
        Edit e = state.edit;
        set(e.change_rung().tile, s.field, s.values[other]);
        if (kernel.validate(e.rung().tile, e.problem, state.limits).legal()) out.push_back(e);
      }
    }
  }
  return out;
}

}  // namespace

void EditRunner::request_neighbours(AppState& state) {
  if (!compile_ahead_) return;
  for (const Edit& edit : neighbours(state)) {
    ahead_.ask<worker::calls::Compile>({.of = kernel_of(state, edit)}, {}, {.prefetch = true});
  }
}

}  // namespace tilescope
