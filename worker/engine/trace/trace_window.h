// Which part of a CTA's run a trace shows, and which part must be recorded for it.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "core/layout/kernel_plan.h"

namespace tilescope::worker {

/// Counted by barrier epoch for kernels with barriers in their k loop, else by a warp's event
/// index.
struct TraceWindow {
  using Ranges = std::vector<std::pair<uint32_t, uint32_t>>;  // [first, end), ascending, apart
  bool by_epoch = true;
  bool as_planned = true;  // barriers are those of the plan
  Ranges shown;
  Ranges recorded;           // shown, and before it what brought its data to shared memory
  std::vector<int> k_steps;  // slices that `shown` holds

  bool shows(uint32_t epoch, uint32_t index) const;
  bool records(uint32_t epoch, uint32_t index) const;
};

bool contains_value(const TraceWindow::Ranges& ranges, uint32_t value);
/// As much of [first, end) as lies in [0, all).
void add_range(TraceWindow::Ranges& ranges, int64_t first, int64_t end, uint32_t all);
/// Ascending, without overlap.
void merge_ranges(TraceWindow::Ranges& ranges);

/// The window of one work item: its prologue, the first stages + 2 slices, `k_step` ± 1, the last
/// slice and the epilogue. `epochs`, `events`: how many there are in all in a warp of the CTA, as a
/// first run has found. If that is not what the plan's syncs say, the kernel was changed and has
/// other barriers: each slice is then taken to have an equal share of them.
TraceWindow choose_window(const KernelPlan& plan, TileWorker worker, int k_step, uint32_t epochs,
                          uint32_t events);

}  // namespace tilescope::worker
