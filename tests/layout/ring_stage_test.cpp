// Stages that are handed over go round without a break, from item to item.
#include "core/layout/ring_stage.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

KernelPlan ring_of(int stages) {
  KernelPlan plan;
  plan.shared[0] = {RegionKind::a, Phase::slices, {.present = true}, stages, 64};
  plan.work.kind = WorkKind::persistent;
  plan.work.raster.cluster_m = 2;
  set_tiles(plan.work.raster, 7, 5);
  plan.work.k_slices = 5, plan.work.ctas = 4;
  return plan;
}

TEST(RingStage, GoesOnFromItemToItemWhereStagesAreHandedOver) {
  for (const int stages : {2, 3, 4, 7}) {
    KernelPlan plan = ring_of(stages);
    plan.producer_threads = 128;
    for (int cta = 0; cta < plan.work.ctas; ++cta) {
      int brought = 0;
      for (int i = 0; i < work_items(plan.work, cta); ++i) {
        const WorkItem item = work_item(plan.work, cta, i);
        for (int k = item.k_begin; k < item.k_end; ++k) {
          EXPECT_EQ(stage_of_slice(plan, item.tile, k), brought++ % stages);
        }
      }
      EXPECT_GT(brought, plan.work.k_slices);
    }
    plan.producer_threads = 0;
    EXPECT_EQ(stage_of_slice(plan, work_item(plan.work, 0, 1).tile, 1), 1);
  }
}

}  // namespace
}  // namespace tilescope
