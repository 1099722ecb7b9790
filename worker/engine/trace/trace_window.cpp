#include "worker/engine/trace/trace_window.h"

#include <algorithm>
#include <set>

namespace tilescope::worker {
namespace {

bool contains(const TraceWindow::Ranges& ranges, uint32_t value) {
  for (const auto& [first, end] : ranges) {
    if (value >= first && value < end) return true;
  }
  return false;
}

void add(TraceWindow::Ranges& ranges, int64_t first, int64_t end, uint32_t all) {
  first = std::max<int64_t>(first, 0), end = std::min<int64_t>(end, all);
  if (first < end) ranges.emplace_back(static_cast<uint32_t>(first), static_cast<uint32_t>(end));
}

void merge(TraceWindow::Ranges& ranges) {
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

}  // namespace

bool TraceWindow::shows(uint32_t epoch, uint32_t index) const {
  return contains(shown, by_epoch ? epoch : index);
}
bool TraceWindow::records(uint32_t epoch, uint32_t index) const {
  return contains(recorded, by_epoch ? epoch : index);
}

TraceWindow choose_window(const KernelPlan& plan, int k_step, uint32_t epochs, uint32_t events) {
  const int slices = plan.work.k_slices;
  const uint32_t barriers = epochs > 0 ? epochs - 1 : 0;
  const uint32_t per_slice = barriers / static_cast<uint32_t>(slices);
  TraceWindow window;
  window.by_epoch = per_slice > 0;

  std::set<int> steps;
  const auto add_steps = [&](int first, int end) {
    for (int s = std::max(first, 0); s < std::min(end, slices); ++s) steps.insert(s);
  };
  // Without barriers a slice is one k: loops unrolled by 8 load that many at a time.
  const int unrolled = window.by_epoch ? 0 : 8;
  add_steps(0, plan.stages() + 2 + unrolled);
  add_steps(k_step - 1, k_step + 2);
  add_steps(slices - 1, slices);
  window.k_steps.assign(steps.begin(), steps.end());

  const uint32_t all = window.by_epoch ? epochs : events;
  const auto per =
      static_cast<int64_t>(window.by_epoch ? per_slice : events / static_cast<uint32_t>(slices));
  // What is left over lies before the loop, but for the last barrier's epilogue.
  const int64_t before = window.by_epoch ? static_cast<int64_t>(barriers) - per * slices
                                         : int64_t{events} - per * slices;
  // One barrier a slice is a pipeline: part of a slice's work follows its barrier.
  const int64_t spill = window.by_epoch ? (per_slice == 1 ? 1 : 0) : unrolled * per + before;
  // What spills over is older by a slice, and must be known, too.
  const int64_t lead = window.by_epoch ? plan.stages() * per + spill : unrolled * per;
  add(window.shown, 0, before, all);
  for (const int s : steps) {
    const int64_t first = (window.by_epoch ? before : 0) + s * per;
    add(window.shown, first, first + per + spill, all);
    add(window.recorded, first - lead, first + per + spill, all);
  }
  add(window.shown, int64_t{all} - 1 - spill, all, all);
  window.recorded.insert(window.recorded.end(), window.shown.begin(), window.shown.end());
  merge(window.shown);
  merge(window.recorded);
  return window;
}

}  // namespace tilescope::worker
