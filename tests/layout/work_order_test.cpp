// Whatever the order of work, each k slice of each block tile is computed once.
#include "core/layout/work_order.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace tilescope {
namespace {

class EveryOrder : public testing::TestWithParam<WorkKind> {};
INSTANTIATE_TEST_SUITE_P(WorkOrder, EveryOrder,
                         testing::Values(WorkKind::one_tile, WorkKind::split_k,
                                         WorkKind::persistent, WorkKind::stream_k));

WorkOrder any_order(WorkKind kind) {
  WorkOrder w;
  w.kind = kind;
  w.raster = {*rc::gen::inRange(1, 9), *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 5)};
  w.k_slices = *rc::gen::inRange(1, 20);
  w.splits = *rc::gen::inRange(1, w.k_slices + 1);
  w.ctas = *rc::gen::inRange(1, 140);
  return w;
}

TEST_P(EveryOrder, ComputesEachSliceOnce) {
  EXPECT_TRUE(rc::check([this] {
    const WorkOrder w = any_order(GetParam());
    std::vector<int> times(static_cast<size_t>(w.slices()), 0);
    for (int cta = 0; cta < cta_count(w); ++cta) {
      for (int i = 0; i < work_items(w, cta); ++i) {
        const WorkItem item = work_item(w, cta, i);
        RC_ASSERT(item.k_begin < item.k_end);
        RC_ASSERT(item.partial == (item.k_end - item.k_begin < w.k_slices));
        for (int k = item.k_begin; k < item.k_end; ++k) {
          ++times[static_cast<size_t>(raster_index(w.raster, item.tile) * w.k_slices + k)];
        }
      }
    }
    for (const int n : times) RC_ASSERT(n == 1);
  }));
}

TEST_P(EveryOrder, FindsWhoBeginsATile) {
  EXPECT_TRUE(rc::check([this] {
    const WorkOrder w = any_order(GetParam());
    for (int index = 0; index < w.raster.tiles(); ++index) {
      const Coord tile = raster_tile(w.raster, index);
      const TileWorker worker = first_worker(w, tile);
      RC_ASSERT(worker.item < work_items(w, worker.cta));
      const WorkItem item = work_item(w, worker.cta, worker.item);
      RC_ASSERT(item.tile == tile);
      RC_ASSERT(item.k_begin == 0);
    }
  }));
}

TEST(WorkOrder, StreamKIsEven) {
  EXPECT_TRUE(rc::check([] {
    const WorkOrder w = any_order(WorkKind::stream_k);
    for (int cta = 0; cta < w.ctas; ++cta) {
      int slices = 0;
      for (int i = 0; i < work_items(w, cta); ++i) {
        const WorkItem item = work_item(w, cta, i);
        slices += item.k_end - item.k_begin;
      }
      const long long whole = w.slices() / w.ctas;
      RC_ASSERT(slices == whole || slices == whole + 1);
    }
  }));
}

}  // namespace
}  // namespace tilescope
