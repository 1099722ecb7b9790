// Loads from shared memory as the assembler joins them, worked out by hand for one warp of 8 × 4
// threads that multiply a slice of eight k.
#include "core/model/warp_walk.h"

#include <gtest/gtest.h>

#include "core/layout/thread_tile.h"

namespace tilescope::model {
namespace {

/// Lane 4 · row + col multiplies row of A by col of B. Lines of `pitch` bytes hold eight elements
/// along k, or if `along_k` is false the elements of one k.
KernelPlan plan_of(int pitch, bool along_k, Swizzle swizzle = Swizzle::none) {
  KernelPlan plan;
  plan.block_m = plan.warp_m = 8, plan.block_n = plan.warp_n = 4, plan.block_k = 8;
  plan.threads = 32;
  plan.atom = thread_tile_atom({.threads_m = 8, .threads_n = 4});
  SharedTile a{.present = true, .outer = 8, .depth = 8, .k_contiguous = along_k, .pitch = pitch};
  a.panel = 8, a.swizzle = swizzle;
  SharedTile b = a;
  b.outer = 4;
  set_ring(plan, a, b, 1);
  plan.load_a.kind = plan.load_b.kind = LoadKind::lds;
  return plan;
}

// PTX has a load of 4 bytes a k, of A and of B.
constexpr uint64_t kRequests = 2 * 8, kBytes = kRequests * 32 * 4;

TEST(JoinedReads, FourAfterEachOtherBecomeOne) {
  const KernelPlan plan = plan_of(32, true);
  const SharedSum apart = walk_shared_reads(plan), joined = walk_joined_reads(plan);
  EXPECT_EQ(apart.requests, kRequests);
  EXPECT_EQ(apart.bytes, kBytes);
  // A: rows r and r + 4 are 128 bytes apart. B: four words on four banks.
  EXPECT_EQ(apart.wavefronts, 8u * 2 + 8 * 1);
  EXPECT_EQ(joined.requests, 4u) << "of 16 bytes";
  EXPECT_EQ(joined.bytes, kBytes);
  // A: four neighbours read one row, so that half warps are served, four rows of 32 bytes. B: lanes
  // share only with those four further on: quarter warps.
  EXPECT_EQ(joined.wavefronts, 2u * 2 + 2 * 4);
}

TEST(JoinedReads, LinesAlignedToEightBytesJoinTwo) {
  const SharedSum joined = walk_joined_reads(plan_of(40, true));
  EXPECT_EQ(joined.requests, kRequests / 2) << "of 8 bytes";
  EXPECT_EQ(joined.bytes, kBytes);
  // A: all lanes at once, rows of ten words. B: two half warps.
  EXPECT_EQ(joined.wavefronts, 4u * 1 + 4 * 2);
}

void expect_apart(const KernelPlan& plan) {
  const SharedSum apart = walk_shared_reads(plan), joined = walk_joined_reads(plan);
  EXPECT_EQ(joined.requests, kRequests);
  EXPECT_EQ(joined.bytes, kBytes);
  EXPECT_EQ(joined.wavefronts, apart.wavefronts);
}

TEST(JoinedReads, OfLinesAlignedToFourBytesStayApart) { expect_apart(plan_of(36, true)); }
TEST(JoinedReads, OfNeighbouringKInOtherLinesStayApart) { expect_apart(plan_of(32, false)); }
TEST(JoinedReads, OfSwizzledTilesStayApart) { expect_apart(plan_of(32, true, Swizzle::b32)); }

// A load of four values is as wide as it gets.
TEST(JoinedReads, OfSixteenBytesStayAsTheyAre) {
  KernelPlan plan = plan_of(64, false);
  plan.block_m = plan.warp_m = 32, plan.block_n = plan.warp_n = 16;
  plan.atom = thread_tile_atom(
      {.threads_m = 8, .threads_n = 4, .thread_m = 4, .thread_n = 4, .run_m = 4, .run_n = 4});
  SharedTile a = plan.shared[0].tile, b = plan.shared[1].tile;
  a.outer = a.panel = 32, a.pitch = 128, b.outer = b.panel = 16;
  set_ring(plan, a, b, 1);
  plan.load_a.width = plan.load_b.width = 4;
  const SharedSum apart = walk_shared_reads(plan), joined = walk_joined_reads(plan);
  EXPECT_EQ(apart.requests, kRequests);
  EXPECT_EQ(joined.requests, kRequests);
  EXPECT_EQ(joined.bytes, 4 * kBytes);
  EXPECT_EQ(joined.wavefronts, apart.wavefronts);
}

}  // namespace
}  // namespace tilescope::model
