// Fragments as kernels use them: registers, addresses, thread tiles and accumulators of a block.
#include "core/layout/matrix_move.h"
#include "core/layout/mma.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <utility>

#include "kernels/registry.h"

namespace tilescope {
namespace {

void expect_bijection(const FragmentLayout& f) {
  std::set<std::pair<int, int>> seen;
  for (int t = 0; t < f.threads(); ++t) {
    for (int v = 0; v < f.values(); ++v) {
      const Coord at = fragment_coord(f, t, v);
      EXPECT_TRUE(at.row >= 0 && at.row < f.rows && at.col >= 0 && at.col < f.cols);
      EXPECT_TRUE(seen.emplace(at.row, at.col).second) << "held twice";
      const Holder holder = fragment_holder(f, at);
      EXPECT_EQ(holder.thread, t);
      EXPECT_EQ(holder.value, v);
    }
  }
  EXPECT_EQ(static_cast<int>(seen.size()), f.rows * f.cols);
}

TEST(Fragment, RegistersHoldTheRightNumberOfBits) {
  const MmaAtom atom = mma_m16n8k16_f16_f32();
  for (const FragmentLayout* f : {&atom.a, &atom.b, &atom.c}) {
    EXPECT_EQ(f->values_per_register * f->bits, 32);
  }
  EXPECT_EQ(atom.a.registers(), 4);
  EXPECT_EQ(atom.b.registers(), 2);
  EXPECT_EQ(atom.c.registers(), 4);
}

TEST(Ldmatrix, LanesAddressEachRowOnce) {
  for (const LdmatrixMap& map : {ldmatrix_for_a(), ldmatrix_for_b()}) {
    std::set<std::pair<int, int>> rows;
    for (int lane = 0; lane < map.matrices * 8; ++lane) {
      const Coord at = ldmatrix_row(map, lane);
      EXPECT_TRUE(at.row >= 0 && at.row < 16);
      EXPECT_TRUE(at.col == 0 || at.col == 8);
      rows.emplace(at.row, at.col);
    }
    EXPECT_EQ(rows.size(), 32u);
  }
}

TEST(ThreadTile, EachElementOfTheBlockBelongsToOneThread) {
  const KernelEntry* kernel = find_kernel("thread_tile_2d");
  ASSERT_NE(kernel, nullptr);
  TileConfig tile = kernel->sliders.defaults();
  for (const auto& [bm, bn, tm, tn] :
       {std::array{128, 128, 8, 8}, {64, 32, 4, 8}, {16, 64, 16, 1}, {32, 16, 2, 4}}) {
    tile.block_m = bm, tile.block_n = bn, tile.thread_m = tm, tile.thread_n = tn;
    const KernelPlan plan = kernel->plan(tile, default_problem(kernel->info));
    EXPECT_EQ(plan.atom.c.threads(), plan.threads);
    EXPECT_EQ(plan.atom.c.values(), tm * tn);
    expect_bijection(plan.atom.c);
  }
}

TEST(Accumulators, EachElementOfTheBlockBelongsToOneLaneOfOneMma) {
  const KernelEntry* kernel = find_kernel("mma_multistage");
  ASSERT_NE(kernel, nullptr);
  const KernelPlan plan = kernel->plan(kernel->sliders.defaults(), default_problem(kernel->info));
  std::set<std::pair<int, int>> seen;
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int mi = 0; mi < mmas_m(plan); ++mi) {
      for (int ni = 0; ni < mmas_n(plan); ++ni) {
        for (int lane = 0; lane < 32; ++lane) {
          for (int v = 0; v < plan.atom.c.values(); ++v) {
            const Coord at = accumulator_coord(plan, warp, mi, ni, lane, v);
            EXPECT_TRUE(seen.emplace(at.row, at.col).second);
          }
        }
      }
    }
  }
  EXPECT_EQ(static_cast<int>(seen.size()), plan.block_m * plan.block_n);
}

}  // namespace
}  // namespace tilescope
