#include "worker/engine/trace/trace_items.h"

#include <algorithm>

namespace tilescope::worker {
namespace {

bool brings_operands(const emulator::Event& event, const DataEvent& data) {
  using emulator::EventKind;
  return event.kind == EventKind::copy ||
         (event.kind == EventKind::load_global && (data.matrix == static_cast<int>(Operand::a) ||
                                                   data.matrix == static_cast<int>(Operand::b)));
}

}  // namespace

std::vector<ItemEpochs> item_epochs(const KernelPlan& plan, int cta) {
  std::vector<ItemEpochs> all;
  const auto barriers = [&](SyncWhen when) { return plan.syncs.dividing(when); };
  int64_t epoch = barriers(SyncWhen::begin);
  const int items = work_items(plan.work, cta);
  for (int i = 0; i < items; ++i) {
    const WorkItem item = work_item(plan.work, cta, i);
    ItemEpochs at;
    at.begin = epoch;
    at.slices = at.begin + barriers(SyncWhen::before_slices);
    at.per_slice = barriers(SyncWhen::each_slice);
    at.after = at.slices + at.per_slice * (item.k_end - item.k_begin);
    epoch = at.after + barriers(SyncWhen::after_slices);
    if (item.partial) epoch += barriers(SyncWhen::shared_tile);
    at.end = epoch + 1;
    all.push_back(at);
  }
  if (all.empty()) return all;
  all.front().begin = 0;
  all.back().end += barriers(SyncWhen::end);
  return all;
}

int ItemFollower::item_of(const emulator::Event& event, const DataEvent& data) {
  Warp& warp = warps_[event.warp];
  const int64_t epoch = event.epoch;
  if (warp.epoch != epoch) warp = {epoch, false};
  warp.brings = warp.brings || brings_operands(event, data);
  // The last item that has begun by then.
  const auto next = std::upper_bound(items_.begin(), items_.end(), epoch,
                                     [](int64_t e, const ItemEpochs& i) { return e < i.begin; });
  const int item = std::max(static_cast<int>(next - items_.begin()) - 1, 0);
  const bool begins = item > 0 && items_[static_cast<size_t>(item)].begin == epoch;
  // C of the item before may be stored behind the copies of the next. Where slices are handed over,
  // a warp waits before it does anything for the next.
  const bool late = hands_over_ || (overlaps_ && data.matrix == static_cast<int>(Operand::c));
  return begins && (late || !warp.brings) ? item - 1 : item;
}

}  // namespace tilescope::worker
