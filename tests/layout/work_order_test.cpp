// Whatever the order of work, each k slice of each block tile is computed once.
#include "core/layout/work_order.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <vector>

#include "core/layout/workspace.h"

namespace tilescope {
namespace {

class EveryOrder : public testing::TestWithParam<WorkKind> {};
INSTANTIATE_TEST_SUITE_P(WorkOrder, EveryOrder,
                         testing::Values(WorkKind::one_tile, WorkKind::split_k,
                                         WorkKind::persistent, WorkKind::stream_k));

WorkOrder any_order(WorkKind kind) {
  WorkOrder w;
  w.kind = kind;
  const int tiles_m = *rc::gen::inRange(1, 9), tiles_n = *rc::gen::inRange(1, 9);
  w.raster = {.group = *rc::gen::inRange(1, 5),
              .cluster_m = *rc::gen::inRange(1, 3),
              .cluster_n = *rc::gen::inRange(1, 3)};
  set_tiles(w.raster, tiles_m, tiles_n);
  w.k_slices = *rc::gen::inRange(1, 20);
  w.splits = *rc::gen::inRange(1, w.k_slices + 1);
  w.ctas = *rc::gen::inRange(1, 140);
  return w;
}

TEST_P(EveryOrder, ComputesEachSliceOnce) {
  EXPECT_TRUE(rc::check([] {
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
    for (const int n : times) {
      RC_ASSERT(n == 1);
    }
  }));
}

TEST_P(EveryOrder, FindsWhoBeginsATile) {
  EXPECT_TRUE(rc::check([] {
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

TEST_P(EveryOrder, FindsWhoComputesASlice) {
  EXPECT_TRUE(rc::check([] {
    const WorkOrder w = any_order(GetParam());
    for (int index = 0; index < w.raster.tiles(); ++index) {
      const Coord tile = raster_tile(w.raster, index);
      for (int k = 0; k < w.k_slices; ++k) {
        const TileWorker worker = worker_of(w, tile, k);
        RC_ASSERT(worker.item < work_items(w, worker.cta));
        const WorkItem item = work_item(w, worker.cta, worker.item);
        RC_ASSERT(item.tile == tile);
        RC_ASSERT(item.k_begin <= k && k < item.k_end);
      }
    }
  }));
}

/// No CTA without work, as set_work() sees to it.
WorkOrder busy_order(WorkKind kind) {
  WorkOrder w = any_order(kind);
  w.ctas = static_cast<int>(std::min<long long>(w.ctas, w.slices()));
  return w;
}

TEST_P(EveryOrder, PartsOfATileAreInTheOrderOfK) {
  EXPECT_TRUE(rc::check([] {
    const WorkOrder w = busy_order(GetParam());
    for (int index = 0; index < w.raster.tiles(); ++index) {
      const Coord tile = raster_tile(w.raster, index);
      const TileParts parts = tile_parts(w, tile);
      int k = 0;
      for (int part = 0; part < parts.count; ++part) {
        const TileWorker worker = worker_of(w, tile, k);
        RC_ASSERT(worker.cta == parts.cta(part));
        const WorkItem item = work_item(w, worker.cta, worker.item);
        RC_ASSERT(item.k_begin == k);
        RC_ASSERT(item.partial == (parts.count > 1));
        if (item.partial) RC_ASSERT(keeps_part(w, item) == (part < first_given_part(w)));
        k = item.k_end;
      }
      RC_ASSERT(k == w.k_slices);
    }
  }));
}

TEST_P(EveryOrder, CountsWhatIsShared) {
  EXPECT_TRUE(rc::check([] {
    const WorkOrder w = busy_order(GetParam());
    SharedWork all;
    for (int index = 0; index < w.raster.tiles(); ++index) {
      const int parts = tile_parts(w, raster_tile(w.raster, index)).count;
      if (parts == 1) continue;
      ++all.tiles;
      // Stream-K's first one keeps its sums and adds the others to them.
      all.parts += w.kind == WorkKind::stream_k ? parts - 1 : parts;
    }
    RC_ASSERT(shared_work(w).tiles == all.tiles);
    RC_ASSERT(shared_work(w).parts == all.parts);
    long long items = 0;
    for (int cta = 0; cta < cta_count(w); ++cta) items += work_items(w, cta);
    RC_ASSERT(count_items(w) == items);
  }));
}

/// Whoever waits for others does so in the last item of those that are cut, and what others wait
/// for is somebody's first: with all CTAs there, everybody comes to an end.
TEST(WorkOrder, StreamKGivesFirstAndWaitsThen) {
  EXPECT_TRUE(rc::check([] {
    const WorkOrder w = busy_order(WorkKind::stream_k);
    for (int cta = 0; cta < w.ctas; ++cta) {
      for (int i = 0; i < work_items(w, cta); ++i) {
        const WorkItem item = work_item(w, cta, i);
        if (!item.partial) continue;
        RC_ASSERT(i == (item.k_begin > 0 ? 0 : stream_items(w, cta) - 1));
      }
    }
  }));
}

TEST(Workspace, CountersAndPartsLieApart) {
  EXPECT_TRUE(rc::check([] {
    const WorkOrder w = busy_order(*rc::gen::element(WorkKind::stream_k, WorkKind::split_k));
    const int threads = 32 * *rc::gen::inRange(1, 9), accesses = *rc::gen::inRange(1, 5);
    const int bytes = threads * accesses * kSumsPerAccess * 4;
    std::set<long long> seen;
    const auto place = [&](long long offset, int size) {
      for (int i = 0; i < size; i += 4) {
        RC_ASSERT(seen.insert(offset + i).second);
      }
      RC_ASSERT(offset + size <= workspace_bytes(w, bytes));
    };
    for (int index = 0; index < w.raster.tiles(); ++index) {
      place(counter_offset(w, raster_tile(w.raster, index)), 4);
    }
    const int cta = *rc::gen::inRange(0, static_cast<int>(cta_count(w)));
    for (const int one : {0, cta == 0 ? 1 : cta}) {
      if (one >= cta_count(w)) continue;
      for (int access = 0; access < accesses; ++access) {
        for (int thread = 0; thread < threads; ++thread) {
          const long long at = part_offset(w, bytes, one) + sums_offset(threads, access, thread);
          RC_ASSERT(at % 16 == 0);
          place(at, kSumsPerAccess * 4);
        }
      }
    }
  }));
}

/// The tiles of a last wave that leaves half of the CTAs idle are cut, evenly; all others are
/// computed wave after wave, neighbours in the raster side by side.
TEST(WorkOrder, StreamKCutsWhatIsLeftOver) {
  EXPECT_TRUE(rc::check([] {
    const WorkOrder w = any_order(WorkKind::stream_k);
    const int tiles = w.raster.tiles(), cut = stream_tiles(w), rest = tiles % w.ctas;
    const bool gets_one = rest * w.k_slices >= w.ctas;  // each CTA a slice
    RC_ASSERT(cut == (2 * rest <= w.ctas && gets_one ? rest : 0));
    for (int index = cut; index < tiles; ++index) {
      const TileWorker worker = first_worker(w, raster_tile(w.raster, index));
      RC_ASSERT(worker.cta == (index - cut) % w.ctas);
      RC_ASSERT(!work_item(w, worker.cta, worker.item).partial);
    }
    for (int cta = 0; cta < w.ctas; ++cta) {
      int slices = 0;
      for (int i = 0; i < stream_items(w, cta); ++i) {
        const WorkItem item = work_item(w, cta, i);
        slices += item.k_end - item.k_begin;
      }
      const long long whole = stream_slices(w) / w.ctas;
      RC_ASSERT(slices == whole || slices == whole + 1);
    }
  }));
}

}  // namespace
}  // namespace tilescope
