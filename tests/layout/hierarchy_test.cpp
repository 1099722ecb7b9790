// The table of levels against what the kernels are compiled from: the layouts of their fragments.
#include "core/layout/hierarchy.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "core/layout/atom_plan.h"
#include "core/layout/mma_list.h"
#include "tests/every_kernel.h"
#include "tests/random_tile.h"

namespace tilescope {
namespace {

constexpr int kTilesAKernel = 25;

/// Calls test(plan) for legal tiles of every kernel at random, edges of all kinds among them.
template <class Test>
void with_random_plans(Test&& test) {
  std::mt19937 random(26);
  for (const KernelEntry& kernel : kernel_table()) {
    for (int found = 0; found < kTilesAKernel && !testing::Test::HasFatalFailure();) {
      Problem p = default_problem(kernel.info);
      p.m = 1 + static_cast<int>(random() % 700), p.n = 1 + static_cast<int>(random() % 700);
      p.k = 1 + static_cast<int>(random() % 300);
      const TileConfig tile = random_tile(kernel, random);
      if (!kernel.validate(tile, p, DeviceLimits{}).legal()) continue;
      ++found;
      SCOPED_TRACE(std::string(kernel.info.id) + " tile " + std::to_string(found));
      test(kernel.plan(tile, p));
    }
  }
}
/// And each instruction as a kernel of its own, two by two atoms a warp.
template <class Test>
void with_every_atom(Test&& test) {
  for (int f = 0; f < kMmaFamilies; ++f) {
    for_each_mma(mma_family(f), [&](const MmaSpec& spec, const MmaFamily&) {
      if (testing::Test::HasFatalFailure()) return;
      SCOPED_TRACE("family " + std::to_string(f) + ", n " + std::to_string(spec.n));
      test(atom_plan(make_mma(spec), 2, 2, 64, Swizzle::none));
    });
  }
}

/// The place of a level's part by its number, within what `at` says of the levels above.
LevelPlace place_of(const KernelPlan& plan, const Hierarchy& h, Level level, int number,
                    LevelPlace at) {
  const Mnk coord = part_coord(h[level], number);
  switch (level) {
    case Level::grid:
      return at;
    case Level::cta:
      at.cta = raster_tile(plan.work.raster, number % plan.work.raster.tiles());
      at.k_slice = number / plan.work.raster.tiles();
      return at;
    case Level::warp:
      at.warp = h.lanes_share_atoms() ? number * plan.warps_per_atom() : number;
      return at;
    case Level::atom:
      at.k_step = part_of_warp(plan, at.warp) * mmas_k(plan) + coord.k;
      if (h.lanes_share_atoms()) {
        at.atom = {coord.m, coord.n};
      } else {
        at.lane = number % h[Level::warp].threads;
      }
      return at;
    case Level::lane:
      if (h.lanes_share_atoms()) {
        const int threads = plan.atom.c.threads();
        const int lane = atom_lane(plan.atom, number % threads, number / threads);
        at.warp += lane / 32, at.lane = lane % 32;
      }
      return at;
  }
  return at;
}

using Held = std::map<std::pair<int, int>, int>;
Held times_held(const IndexRuns& rows, const IndexRuns& cols) {
  Held held;
  for (int i = 0; i < rows.size(); ++i) {
    for (int j = 0; j < cols.size(); ++j) ++held[{rows.at(i), cols.at(j)}];
  }
  return held;
}

/// Places of some indices, −1 for all that are not among them.
std::vector<int> places_of(const IndexRuns& runs) {
  std::vector<int> place(static_cast<size_t>(runs.at(runs.size() - 1) + 1), -1);
  for (int i = 0; i < runs.size(); ++i) place[static_cast<size_t>(runs.at(i))] = i;
  return place;
}
int place_in(const std::vector<int>& places, int index) {
  return index >= 0 && index < static_cast<int>(places.size()) ? places[static_cast<size_t>(index)]
                                                               : -1;
}

/// The parts of one part of the level above have its elements of C between them, each once in each
/// part of k, and its k.
void expect_tiled(const KernelPlan& plan, const Hierarchy& h, Level level,
                  const LevelPlace& above) {
  SCOPED_TRACE("level " + std::to_string(static_cast<int>(level)));
  const LevelPart whole = part_of(plan, h, static_cast<Level>(static_cast<int>(level) - 1), above);
  const LevelRow& row = h[level];
  const std::vector<int> rows = places_of(whole.m), cols = places_of(whole.n);
  std::vector<int> times(static_cast<size_t>(whole.m.size()) * static_cast<size_t>(whole.n.size()));
  std::vector<int> ks(static_cast<size_t>(whole.k.size()));
  const int apart = row.count.m * row.count.n;  // the parts with the same k are numbered in a row
  std::vector<LevelPart> first;
  for (int number = 0; number < row.parts(); ++number) {
    const LevelPart part = part_of(plan, h, level, place_of(plan, h, level, number, above));
    ASSERT_EQ((Mnk{part.m.size(), part.n.size(), part.k.size()}), row.box);
    for (int i = 0; i < part.k.size(); ++i) {
      const int k = part.k.at(i) - whole.k.first;
      ASSERT_TRUE(k >= 0 && k < whole.k.size()) << "k " << k << " of part " << number;
      ++ks[static_cast<size_t>(k)];
    }
    if (number >= apart) {
      ASSERT_EQ(part.m, first[static_cast<size_t>(number % apart)].m);
      ASSERT_EQ(part.n, first[static_cast<size_t>(number % apart)].n);
      continue;
    }
    first.push_back(part);
    for (int i = 0; i < part.m.size(); ++i) {
      const int r = place_in(rows, part.m.at(i));
      ASSERT_GE(r, 0) << "row " << part.m.at(i) << " of part " << number;
      for (int j = 0; j < part.n.size(); ++j) {
        const int c = place_in(cols, part.n.at(j));
        ASSERT_GE(c, 0) << "column " << part.n.at(j) << " of part " << number;
        ++times[static_cast<size_t>(r * whole.n.size() + c)];
      }
    }
  }
  for (const int n : times) ASSERT_EQ(n, 1);
  for (const int n : ks) ASSERT_GT(n, 0);
}

void expect_all_tiled(const KernelPlan& plan) {
  const Hierarchy h = hierarchy_of(plan);
  ASSERT_EQ(h.levels, kLevels);
  const Raster& raster = plan.work.raster;
  LevelPlace last;
  last.cta = {raster.tiles_m - 1, raster.tiles_n - 1}, last.k_slice = plan.work.k_slices - 1;
  expect_tiled(plan, h, Level::cta, {});
  for (const LevelPlace& cta : {LevelPlace(), last}) {
    expect_tiled(plan, h, Level::warp, cta);
    for (const int warp : {0, h[Level::warp].parts() - 1}) {
      const LevelPlace in_warp = place_of(plan, h, Level::warp, warp, cta);
      expect_tiled(plan, h, Level::atom, in_warp);
      for (const int atom : {0, h[Level::atom].parts() - 1}) {
        expect_tiled(plan, h, Level::lane, place_of(plan, h, Level::atom, atom, in_warp));
      }
    }
  }
}

TEST(Hierarchy, PartsOfEachLevelTileTheLevelAboveExactly) { with_random_plans(expect_all_tiled); }
TEST(Hierarchy, PartsOfEachInstructionTileTheLevelAboveExactly) {
  with_every_atom(expect_all_tiled);
}

void expect_inverse(const KernelPlan& plan) {
  const Hierarchy h = hierarchy_of(plan);
  for (const Level level : {Level::warp, Level::atom, Level::lane}) {
    const LevelRow& row = h[level];
    std::map<std::tuple<int, int, int>, int> seen;
    for (int number = 0; number < row.parts(); ++number) {
      const Mnk at = part_coord(row, number);
      ASSERT_TRUE(at.m < row.count.m && at.n < row.count.n && at.k < row.count.k);
      ASSERT_EQ(part_number(row, at), number);
      ASSERT_EQ(++seen[std::make_tuple(at.m, at.n, at.k)], 1);
    }
  }
  const LevelRow& cta = h[Level::cta];
  for (int m = 0; m < cta.count.m; ++m) {
    for (int n = 0; n < cta.count.n; ++n) {
      ASSERT_EQ(raster_tile(plan.work.raster, raster_index(plan.work.raster, {m, n})),
                (Coord{m, n}));
    }
  }
}

TEST(Hierarchy, NumbersAndCoordinatesOfPartsAreInverse) {
  with_random_plans(expect_inverse);
  with_every_atom(expect_inverse);
}

/// What the fragments say that a lane keeps is what the table's part of it is made of.
void expect_fragments(const KernelPlan& plan) {
  const Hierarchy h = hierarchy_of(plan);
  ASSERT_EQ(h[Level::cta].threads, plan.threads);
  const bool share = h.lanes_share_atoms();
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int lane = 0; lane < min_of(32, plan.threads - warp * 32); lane += 5) {
      std::map<std::pair<int, int>, Held> held;  // by atom; all atoms are one thread's tile
      for (int mi = 0; mi < mmas_m(plan); ++mi) {
        for (int ni = 0; ni < mmas_n(plan); ++ni) {
          for (int v = 0; v < plan.atom.c.values(); ++v) {
            const Coord at = accumulator_coord(plan, warp, mi, ni, lane, v);
            ++held[share ? std::make_pair(mi, ni) : std::make_pair(0, 0)][{at.row, at.col}];
          }
        }
      }
      for (const auto& [atom, elements] : held) {
        LevelPlace place;
        place.warp = warp, place.atom = {atom.first, atom.second}, place.lane = lane;
        const LevelPart part = part_of(plan, h, Level::lane, place);
        ASSERT_EQ(times_held(part.m, part.n), elements) << "warp " << warp << ", lane " << lane;
      }
    }
  }
}

TEST(Hierarchy, ALanesPartIsWhatItsFragmentsHold) {
  with_random_plans(expect_fragments);
  with_every_atom(expect_fragments);
}

TEST(Hierarchy, ATileThatNoWarpFitsHasItsFirstLevels) {
  const KernelEntry* kernel = nullptr;
  for (const KernelEntry& one : kernel_table()) {
    if (one.sliders.find(TileFieldId::warp_m)) kernel = &one;
  }
  ASSERT_NE(kernel, nullptr);
  KernelPlan plan = kernel->plan(kernel->sliders.defaults(), default_problem(kernel->info));
  EXPECT_EQ(hierarchy_of(plan).levels, kLevels);
  plan.warps_m = 0;
  EXPECT_TRUE(hierarchy_of(plan).has(Level::cta));
  EXPECT_FALSE(hierarchy_of(plan).has(Level::warp));
  plan.block_m = 0;
  EXPECT_FALSE(hierarchy_of(plan).has(Level::grid));
}

// In a kernel's own words, so that the table can be read.
TEST(Hierarchy, TheTableOfTwoKernels) {
  const KernelEntry* simt = find_kernel("vectorized");
  const KernelEntry* mma = find_kernel("mma_multistage");
  TileConfig tile = simt->sliders.defaults();  // 128×128×8, threads of 8×8
  Hierarchy h = hierarchy_of(simt->plan(tile, default_problem(simt->info)));
  EXPECT_EQ(h[Level::warp].count, (Mnk{8, 1, 1}));
  EXPECT_EQ(h[Level::warp].box, (Mnk{16, 128, 8}));
  EXPECT_EQ(h[Level::warp].rows, (IndexRuns{.run = 8, .count = 2, .step = 64}));
  EXPECT_EQ(h[Level::atom].count, (Mnk{2, 16, 8}));
  EXPECT_EQ(h[Level::atom].box, (Mnk{8, 8, 1}));
  EXPECT_EQ(h[Level::atom].cols, (IndexRuns{.run = 4, .count = 2, .step = 64}));
  EXPECT_EQ(register_level(h), Level::atom);
  tile = mma->sliders.defaults();
  tile.block_m = tile.block_n = 128, tile.block_k = 32, tile.warp_m = tile.warp_n = 64;
  const KernelPlan plan = mma->plan(tile, default_problem(mma->info));
  h = hierarchy_of(plan);
  EXPECT_EQ(h[Level::warp].count, (Mnk{2, 2, 1}));
  EXPECT_EQ(h[Level::warp].box, (Mnk{64, 64, 32}));
  EXPECT_EQ(h[Level::atom].count, (Mnk{4, 8, 2}));
  EXPECT_EQ(h[Level::atom].box, (Mnk{16, 8, 16}));
  EXPECT_EQ(h[Level::lane].count, (Mnk{8, 4, 1}));
  EXPECT_EQ(h[Level::lane].rows, (IndexRuns{.run = 1, .count = 2, .step = 8}));
  EXPECT_EQ(h[Level::lane].cols, (IndexRuns{.run = 2}));
  EXPECT_EQ(register_level(h), Level::warp);
  const Arithmetic mma_does = arithmetic_of(plan);
  EXPECT_EQ(mma_does.a + mma_does.b + mma_does.c, 16 * 16 + 16 * 8 + 16 * 8);
}

}  // namespace
}  // namespace tilescope
