#include "worker/engine/trace/trace_window.h"

#include <algorithm>
#include <set>

#include "worker/engine/trace/trace_items.h"

namespace tilescope::worker {
bool contains_value(const TraceWindow::Ranges& ranges, uint32_t value) {
  for (const auto& [first, end] : ranges) {
    if (value >= first && value < end) return true;
  }
  return false;
}

void add_range(TraceWindow::Ranges& ranges, int64_t first, int64_t end, uint32_t all) {
  first = std::max<int64_t>(first, 0), end = std::min<int64_t>(end, all);
  if (first < end) ranges.emplace_back(static_cast<uint32_t>(first), static_cast<uint32_t>(end));
}

void merge_ranges(TraceWindow::Ranges& ranges) {
  std::sort(ranges.begin(), ranges.end());
  TraceWindow::Ranges merged;
  for (const auto& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  ranges = std::move(merged);
}

namespace {

/// What is left over lies before the slices, but for what follows the last barrier.
ItemEpochs guessed(int64_t epochs, int slices) {
  ItemEpochs at;
  at.per_slice = (epochs - 1) / slices;
  at.slices = epochs - 1 - at.per_slice * slices;
  at.after = epochs - 1;
  at.end = epochs;
  return at;
}

}  // namespace

bool TraceWindow::shows(uint32_t epoch, uint32_t index) const {
  return contains_value(shown, by_epoch ? epoch : index);
}
bool TraceWindow::records(uint32_t epoch, uint32_t index) const {
  return contains_value(recorded, by_epoch ? epoch : index);
}

TraceWindow choose_window(const KernelPlan& plan, TileWorker worker, int k_step, uint32_t epochs,
                          uint32_t events) {
  const WorkItem item = work_item(plan.work, worker.cta, worker.item);
  const int slices = item.k_end - item.k_begin;
  TraceWindow window;
  const std::vector<ItemEpochs> planned = item_epochs(plan, worker.cta);
  window.as_planned = planned.back().end == int64_t{epochs};
  ItemEpochs at =
      window.as_planned ? planned[static_cast<size_t>(worker.item)] : guessed(epochs, slices);
  window.by_epoch = at.per_slice > 0;
  // Without barriers a slice is one k: loops unrolled by 8 load that many at a time.
  const int unrolled = window.by_epoch ? 0 : 8;
  if (!window.by_epoch) at = guessed(events + 1, slices);

  std::set<int> steps;
  const auto add_steps = [&](int first, int end) {
    for (int s = std::max(first, item.k_begin); s < std::min(end, item.k_end); ++s) steps.insert(s);
  };
  add_steps(item.k_begin, item.k_begin + plan.stages() + 2 + unrolled);
  add_steps(k_step - 1, k_step + 2);
  add_steps(item.k_end - 1, item.k_end);
  window.k_steps.assign(steps.begin(), steps.end());

  const int64_t per = at.per_slice, before = at.slices - at.begin;
  const uint32_t all = window.by_epoch ? epochs : events;
  // One barrier per slice is a pipeline: part of a slice's work follows its barrier.
  const int64_t spill = window.by_epoch ? (per == 1 ? 1 : 0) : unrolled * per + before;
  // What spills over is older by a slice, and must be known, too.
  const int64_t lead = window.by_epoch ? plan.stages() * per + spill : unrolled * per;
  add_range(window.shown, at.begin, at.slices, all);
  for (const int s : steps) {
    const int64_t first = (window.by_epoch ? at.slices : 0) + (s - item.k_begin) * per;
    add_range(window.shown, first, first + per + spill, all);
    add_range(window.recorded, std::max(first - lead, at.begin), first + per + spill, all);
  }
  add_range(window.shown, at.after - spill, at.end, all);
  window.recorded.insert(window.recorded.end(), window.shown.begin(), window.shown.end());
  merge_ranges(window.shown);
  merge_ranges(window.recorded);
  return window;
}

}  // namespace tilescope::worker
