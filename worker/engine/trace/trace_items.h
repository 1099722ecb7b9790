// Where a CTA's work items lie in its run, by the barriers that its plan tells of, and which of
// them an event belongs to.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "core/layout/kernel_plan.h"
#include "worker/engine/trace/trace_event.h"

namespace tilescope::worker {

/// Where a work item lies in its CTA's run, in barrier epochs.
struct ItemEpochs {
  int64_t begin = 0, slices = 0, per_slice = 0;  // first of all, of the first slice, of each slice
  int64_t after = 0, end = 0;  // first behind the slices; one behind the last, in which the next
                               // item begins
};
std::vector<ItemEpochs> item_epochs(const KernelPlan& plan, int cta);

/// Decides to which of two items an event belongs that lies between a warp's last barrier of one
/// and its first barrier of the next: from the warp's first copy of A or B on, to the next.
class ItemFollower {
 public:
  ItemFollower(const KernelPlan& plan, int cta)
      : items_(item_epochs(plan, cta)),
        overlaps_(plan.epilogue.overlaps_next),
        hands_over_(plan.producer_threads > 0) {}
  /// The events of each warp come in their order; some may be left out.
  int item_of(const emulator::Event& event, const DataEvent& data);
  const std::vector<ItemEpochs>& items() const { return items_; }

 private:
  struct Warp {
    int64_t epoch = -1;
    bool brings = false;  // has brought something in this epoch
  };
  std::vector<ItemEpochs> items_;
  bool overlaps_, hands_over_;
  std::map<uint16_t, Warp> warps_;
};

}  // namespace tilescope::worker
