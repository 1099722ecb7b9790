// In which stage of the ring a slice of a block tile lies.
#pragma once
#include "core/layout/kernel_plan.h"

namespace tilescope {

/// Of the CTA that works on it: where it hands stages over, the ring goes on from item to item,
/// else each item begins with the first stage.
constexpr int stage_of_slice(const KernelPlan& plan, Coord tile, int k_slice) {
  if (plan.producer_threads == 0) return stage_of_slice(plan, k_slice);
  const TileWorker worker = worker_of(plan.work, tile, k_slice);
  int slices = k_slice - work_item(plan.work, worker.cta, worker.item).k_begin;
  for (int i = 0; i < worker.item; ++i) {
    const WorkItem item = work_item(plan.work, worker.cta, i);
    slices += item.k_end - item.k_begin;
  }
  return slices % plan.stages();
}

}  // namespace tilescope
