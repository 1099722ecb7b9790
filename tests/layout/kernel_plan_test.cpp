// The parts of each kernel's plan agree with each other.
#include "core/layout/kernel_plan.h"

#include <gtest/gtest.h>

#include "core/layout/shared_reads.h"
#include "core/layout/thread_tile.h"
#include "tests/every_kernel.h"

namespace tilescope {
namespace {

KernelPlan default_plan(const KernelEntry& kernel) {
  return kernel.plan(kernel.sliders.defaults(), default_problem(kernel.info));
}

TEST(KernelPlan, WarpsCoverTheBlockTileOnce) {
  for (const KernelEntry& kernel : kernel_table()) {
    SCOPED_TRACE(kernel.info.id);
    const KernelPlan plan = default_plan(kernel);
    std::vector<int> times(static_cast<size_t>(plan.block_m * plan.block_n), 0);
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int mi = 0; mi < mmas_m(plan); ++mi) {
        for (int ni = 0; ni < mmas_n(plan); ++ni) {
          for (int lane = 0; lane < min_of(32, plan.threads - warp * 32); ++lane) {
            for (int v = 0; v < plan.atom.c.values(); ++v) {
              const Coord at = accumulator_coord(plan, warp, mi, ni, lane, v);
              ASSERT_TRUE(at.row < plan.block_m && at.col < plan.block_n);
              ++times[static_cast<size_t>(at.row * plan.block_n + at.col)];
            }
          }
        }
      }
    }
    for (const int n : times) ASSERT_EQ(n, plan.warps_k);
  }
}

// Types and layouts of another kernel stay chosen where one is changed for the other: the picture
// is of the kernel's own then.
TEST(KernelPlan, IsOfWhatTheKernelComputes) {
  for (const KernelEntry& kernel : kernel_table()) {
    SCOPED_TRACE(kernel.info.id);
    const TileConfig tile = kernel.sliders.defaults();
    for (int types = 1; types < 1 << kTypeSets; types *= 2) {
      for (int layout = 1; layout < 16; layout *= 2) {
        Problem p = default_problem(kernel.info);
        set_types(p, types_of_bit(types));
        set_layout(p, layout);
        p.m = 0, p.n = kMaxExtent + 1;
        const Problem nearest = nearest_computed(kernel.info, p);
        EXPECT_EQ(nearest.m, 1);
        EXPECT_EQ(nearest.n, kMaxExtent);
        EXPECT_NE(kernel.info.types & bit_of_types(types_of(nearest)), 0);
        EXPECT_EQ((kernel.info.types & types) != 0, types_of(nearest) == types_of(p));
        EXPECT_EQ((kernel.info.layouts & layout) != 0,
                  nearest.order_a == p.order_a && nearest.order_b == p.order_b);
        EXPECT_TRUE(kernel.plan(tile, p) == kernel.plan(tile, nearest));
      }
    }
  }
}

// Whole clusters, as many as find room on the card, none with nothing to do.
TEST(KernelPlan, CtasThatStayAreWholeClusters) {
  const KernelEntry& kernel = *find_kernel("wgmma_cluster");
  TileConfig tile = kernel.sliders.defaults();
  Problem p = default_problem(kernel.info);
  p.m = p.n = 8192;
  const auto ctas = [&](int cluster_m, int cluster_n, int sms) {
    tile.cluster_m = cluster_m, tile.cluster_n = cluster_n;
    return kernel.launch(tile, p, sms).grid_x;
  };
  EXPECT_EQ(ctas(1, 1, 132), 132);
  EXPECT_EQ(ctas(2, 1, 132), 132);
  EXPECT_EQ(ctas(1, 2, 3), 2);
  EXPECT_EQ(ctas(2, 2, 132), 120);  // as many as an H200 was found to hold at once
  EXPECT_EQ(ctas(4, 2, 132), 120);
  EXPECT_EQ(ctas(4, 2, 1), 8);  // a cluster is never cut
  p.m = p.n = 300;              // 3 × 2 tiles
  EXPECT_EQ(ctas(2, 2, 132), 8);
}

// ptxas refuses a wgmma whose sums leave it less than 26 of the registers that a thread begins with
// (C7602 of CUDA 13.0, for n 160, 224 and 256).
TEST(KernelPlan, AWgmmaHasRegistersForItsSums) {
  const KernelEntry& kernel = *find_kernel("wgmma_warp_roles");
  const Problem p = default_problem(kernel.info);
  const auto rule = [&](int block_m, int block_n) {
    TileConfig tile = kernel.sliders.defaults();
    tile.block_m = block_m, tile.block_n = block_n, tile.warp_m = 64, tile.stages = 2;
    DeviceLimits hopper;
    hopper.sm = 90;
    return kernel.validate(tile, p, hopper);
  };
  EXPECT_TRUE(rule(192, 192).legal());
  EXPECT_TRUE(rule(256, 128).legal());
  EXPECT_EQ(rule(192, 224).rule, Rule::product_registers);
  EXPECT_EQ(rule(192, 224).value, 138);
  EXPECT_EQ(rule(192, 224).limit, 128);
  EXPECT_EQ(rule(192, 256).value, 154);
  EXPECT_EQ(rule(256, 160).value, 106);
}

TEST(KernelPlan, EachByteOfSharedMemoryIsKnown) {
  for (const KernelEntry& kernel : kernel_table()) {
    SCOPED_TRACE(kernel.info.id);
    const KernelPlan plan = default_plan(kernel);
    for (int i = 0; i < KernelPlan::kMaxRegions; ++i) {
      const SharedRegion& r = plan.shared[i];
      if (!r.present()) continue;
      EXPECT_LE(r.end(), plan.shared_bytes());
      for (int stage = 0; stage < r.stages; ++stage) {
        for (int outer = 0; outer < r.tile.outer; outer += 3) {
          for (int k = 0; k < r.tile.depth; ++k) {
            const int byte = stage * r.stride + shared_offset(r.tile, outer, k);
            const SharedPlace place = locate(plan, byte, r.phase);
            ASSERT_EQ(place.region, i);
            ASSERT_EQ(place.stage, stage);
            ASSERT_EQ(place.element, (Coord{outer, k}));
          }
        }
      }
    }
    EXPECT_EQ(locate(plan, plan.shared_bytes(), Phase::slices).region, -1);
  }
}

void fragments_are_read_whole(const KernelPlan& plan) {
  for (const Operand o : {Operand::a, Operand::b}) {
    if (shared_reads(plan, o) == 0) continue;
    const SharedTile& tile = shared_of(plan, o);
    std::vector<bool> seen(static_cast<size_t>(tile.outer * tile.depth), false);
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int step = 0; step < mmas_k(plan); ++step) {
        for (int i = 0; i < shared_reads(plan, o); ++i) {
          const SharedRead read = shared_read(plan, o, tile, warp, step, i);
          const int elements = read.access.bytes / tile.bytes_per_element;
          for (int lane = 0; lane < 32; ++lane) {
            if ((read.access.active >> lane & 1u) == 0) continue;
            for (int e = 0; e < elements; ++e) {
              const Coord at = read.element[lane] + (tile.k_contiguous ? Coord{0, e} : Coord{e, 0});
              ASSERT_TRUE(at.row < tile.outer && at.col < tile.depth);
              seen[static_cast<size_t>(at.row * tile.depth + at.col)] = true;
            }
          }
        }
      }
    }
    for (size_t i = 0; i < seen.size(); ++i) ASSERT_TRUE(seen[i]) << i;
  }
}

TEST(KernelPlan, FragmentsOfAKStepAreReadWhole) {
  for (const KernelEntry& kernel : kernel_table()) {
    for (const Problem& problem : problems_in_each_layout(kernel)) {
      SCOPED_TRACE(kernel.info.id);
      fragments_are_read_whole(kernel.plan(kernel.sliders.defaults(), problem));
    }
  }
}

TEST(ThreadTile, FactorsAndSumsOfAThreadAgree) {
  const ThreadTile t{
      .threads_m = 4, .threads_n = 8, .thread_m = 8, .thread_n = 4, .run_m = 4, .run_n = 2};
  const MmaAtom atom = thread_tile_atom(t);
  EXPECT_EQ(atom.m, 32);
  EXPECT_EQ(atom.n, 32);
  EXPECT_EQ(atom.c.copies(), 1);
  for (int thread = 0; thread < atom.threads(); ++thread) {
    for (int i = 0; i < t.thread_m; ++i) {
      for (int j = 0; j < t.thread_n; ++j) {
        const Coord c = fragment_coord(atom.c, thread, i * t.thread_n + j);
        EXPECT_EQ(fragment_coord(atom.a, thread, i), (Coord{c.row, 0}));
        EXPECT_EQ(fragment_coord(atom.b, thread, j), (Coord{0, c.col}));
      }
    }
  }
}

TEST(Problem, PlacesInAPaddedBufferAreFoundAgain) {
  Problem p;
  p.m = 5, p.n = 7, p.k = 3;
  p.lda = 4, p.offset_a = 2;
  p.order_b = Order::column_major, p.ldb = 6;
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
    int elements = 0;
    for (long long byte = 0; byte < operand_buffer_bytes(p, o); byte += 4) {
      const Coord at = global_coord(p, o, byte);
      if (at.row < 0) continue;
      ++elements;
      EXPECT_EQ(global_offset(p, o, at), byte);
    }
    EXPECT_EQ(elements, operand_elements(p, o));
  }
  EXPECT_EQ(aligned_width(p, Operand::a), 1);  // rows of 3 elements
}

}  // namespace
}  // namespace tilescope
