// Fragment maps against the formulas of the PTX ISA, written out here as a witness of their own.
#include "core/layout/matrix_move.h"
#include "core/layout/mma.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <utility>

#include "kernels/registry.h"

namespace tilescope {
namespace {

// PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16" with 16-bit A and B, 32-bit C.
Coord ptx_isa_a(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  const int row = (i < 2 || (i >= 4 && i < 6)) ? group : group + 8;
  const int col = in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0);
  return {row, col};
}
Coord ptx_isa_b(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  const int row = in_group * 2 + (i & 1) + (i >= 2 ? 8 : 0);
  return {row, group};
}
Coord ptx_isa_c(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  return {i < 2 ? group : group + 8, in_group * 2 + (i & 1)};
}

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

TEST(Fragment, M16N8K16IsAsInThePtxIsa) {
  const MmaAtom atom = mma_m16n8k16_f16_f32();
  ASSERT_EQ(atom.a.threads(), 32);
  ASSERT_EQ(atom.a.values(), 8);
  ASSERT_EQ(atom.b.values(), 4);
  ASSERT_EQ(atom.c.values(), 4);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i) EXPECT_EQ(fragment_coord(atom.a, lane, i), ptx_isa_a(lane, i));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(fragment_coord(atom.b, lane, i), ptx_isa_b(lane, i));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(fragment_coord(atom.c, lane, i), ptx_isa_c(lane, i));
  }
}

TEST(Fragment, MapsAreBijections) {
  const MmaAtom atom = mma_m16n8k16_f16_f32();
  expect_bijection(atom.a);
  expect_bijection(atom.b);
  expect_bijection(atom.c);
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

// PTX ISA, ldmatrix: threads 0–7 give the rows of the first matrix, 8–15 of the second, …; register
// i of lane l then holds two elements, row l / 4, columns 2 · (l % 4) and the next, of matrix i.
Coord ldmatrix_element(const LdmatrixMap& map, int lane, int reg, int half) {
  const Coord row_start = ldmatrix_row(map, reg * 8 + lane / 4);
  return {row_start.row, row_start.col + lane % 4 * 2 + half};
}

TEST(Ldmatrix, GivesTheAFragment) {
  const MmaAtom atom = mma_m16n8k16_f16_f32();
  for (int lane = 0; lane < 32; ++lane) {
    for (int value = 0; value < 8; ++value) {
      EXPECT_EQ(ldmatrix_element(ldmatrix_for_a(), lane, value / 2, value % 2),
                fragment_coord(atom.a, lane, value));
    }
  }
}

TEST(Ldmatrix, GivesTwoNeighbouringBFragments) {
  const MmaAtom atom = mma_m16n8k16_f16_f32();
  for (int lane = 0; lane < 32; ++lane) {
    for (int tile = 0; tile < 2; ++tile) {
      for (int value = 0; value < 4; ++value) {
        const Coord stored =  // [n, k]
            ldmatrix_element(ldmatrix_for_b(), lane, tile * 2 + value / 2, value % 2);
        const Coord wanted = fragment_coord(atom.b, lane, value);  // [k, n]
        EXPECT_EQ(stored.row, wanted.col + tile * atom.n);
        EXPECT_EQ(stored.col, wanted.row);
      }
    }
  }
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
    EXPECT_EQ(plan.thread_tile.threads(), plan.threads);
    EXPECT_EQ(plan.thread_tile.values(), tm * tn);
    expect_bijection(plan.thread_tile);
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
            const Coord at = mma_accumulator(plan, warp, mi, ni, lane, v);
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
