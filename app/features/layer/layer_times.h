// Modelled and measured times of the chosen layer, in one form.
#pragma once
#include <optional>
#include <vector>

#include "app/features/layer/layer_facts.h"

namespace tilescope {

struct LayerTimes {
  Standing standing = Standing::none;
  std::vector<double> steps_us;     // all chunks, the slowest rank; 0: not known
  std::vector<workload::Bar> bars;  // empty: not known
  double forward_us = 0, total_us = 0;
};

/// Standing::none until the model has answered.
LayerTimes modelled_times(const AppState& state);
/// Standing::none until it was measured; a run of the emulator has no times.
LayerTimes measured_times(const AppState& state);
/// Measured where it was, else modelled.
LayerTimes best_times(const AppState& state);

/// What a step's matrices are called in a list: "dX", of a summand "part of dX".
std::string result_name(const workload::Workload& w, const workload::Step& step);

/// What a step has of the wall time, in microseconds.
struct WallShare {
  double us = 0;         // ranks that do different things at a time share it
  double beside_us = 0;  // of a transfer: beside products, which have that time
};
/// How a layer's time is spent: all `us` and `waiting_us` together are `whole_us`.
struct WallTime {
  std::vector<WallShare> steps;
  double waiting_us = 0;  // nothing runs
  double whole_us = 0;    // until the last transfer has ended
};
WallTime wall_time(const workload::Workload& w, const std::vector<workload::Bar>& bars);

/// How far the model is off, of what was measured: −0.021; nothing where either is missing.
std::optional<double> model_error(double modelled_us, double measured_us);

}  // namespace tilescope
