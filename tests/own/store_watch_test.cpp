// Who stores what, of launches of many CTAs and layers, and of accesses made at random.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "worker/engine/emulate/store_watch.h"
#include "worker/engine/emulate/stores.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

/// Thread 0 of each CTA adds 0 to out[number of its CTA], and thread 1 reads it: nothing changes.
constexpr const char* kMark = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry mark(.param .u64 out)
{
  .reg .b32 %r<12>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<6>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %ctaid.z;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, %nctaid.y;
  mad.lo.u32 %r6, %r3, %r5, %r2;
  mad.lo.u32 %r7, %r6, %r4, %r1;
  mul.wide.u32 %rd2, %r7, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r8, %tid.x;
  setp.ne.u32 %p1, %r8, 0;
  @%p1 bra READ;
  atom.global.add.f32 %f1, [%rd3], 0f00000000;
  ret;
READ:
  ld.global.f32 %f2, [%rd3];
  ret;
}
)";

calls::Stores::Request marks(sheet::Extent grid, BlockIndex cta) {
  calls::Stores::Request asked;
  asked.launch.ptx = kMark;
  sheet::LaunchSheet& s = asked.launch.sheet.emplace();
  s.entry = "mark";
  s.grid = grid, s.block = sheet::Extent{2, 1, 1};
  s.args = {"buf:f32:" + std::to_string(grid.z * grid.y) + "x" + std::to_string(grid.x) +
            ":zeros:inout"};
  asked.launch.names = {"out"};
  asked.cta = cta;
  return asked;
}

TEST(Stores, OfAWholeGridOfLayersAreTold) {
  const StoresResult stores = stores_of(marks({7, 5, 6}, {3, 4, 5}), nullptr);
  EXPECT_EQ(stores.of_ctas, 210u);
  ASSERT_EQ(stores.ctas.size(), 210u);
  for (const CtaStores& cta : stores.ctas) {
    const auto [x, y, z] = cta.cta;
    EXPECT_EQ(cta.boxes, (std::vector<TouchedBox>{{0, 5 * z + y, x, 1, 1}}));
  }
  EXPECT_EQ(stores.box, (TouchedBox{0, 29, 3, 1, 1}));
  EXPECT_EQ(stores.threads, std::vector<int>{0});
  EXPECT_FALSE(stores.truncated);
}

TEST(Stores, OfALongLaunchAreThoseOfItsFirstCtasAndTheChosenOnes) {
  calls::Stores::Request asked = marks({100, 3, 1}, {99, 2, 0});
  asked.grid_lane_instructions = 1;
  StoresResult stores = stores_of(asked, nullptr);
  EXPECT_EQ(stores.ctas.size(), 65u);  // the 64 that are always looked at
  EXPECT_EQ(stores.ctas.back().cta, (BlockIndex{99, 2, 0}));
  EXPECT_EQ(stores.of_ctas, 300u);
  asked.most_ctas = 5;
  EXPECT_EQ(stores_of(asked, nullptr).ctas.size(), 6u);
  asked.cta = {0, 0, 1};
  EXPECT_THROW(stores_of(asked, nullptr), RpcError);
}

TEST(StoreWatch, TellsWhatRandomAccessesStored) {
  std::mt19937 random(11);
  const auto below = [&](uint64_t n) { return static_cast<uint64_t>(random()) % n; };
  for (int round = 0; round < 300; ++round) {
    LaunchMatrix m;
    m.address = 4096, m.bytes = uint32_t{1} << below(4);
    m.rows = 1 + below(20), m.cols = 1 + below(20), m.by_rows = below(2) == 0;
    StoreWatch watch(m, BlockIndex{1, 0, 2});
    std::map<int, std::set<std::pair<int, int>>> stored;  // by z of the CTA
    std::map<std::pair<int, int>, int> threads;
    const uint64_t all = m.rows * m.cols;
    for (int i = static_cast<int>(below(40)); i > 0; --i) {
      std::array<uint64_t, 32> addresses{};
      emulator::MemoryAccess a;
      a.cta = {1, 0, static_cast<uint32_t>(below(3))};
      a.warp = static_cast<uint32_t>(below(8));
      a.shared = below(8) == 0, a.writes = below(4) != 0, a.reads = !a.writes;
      a.lanes = static_cast<uint32_t>(random()), a.bytes = m.bytes << below(3);
      a.addresses = addresses.data();
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint64_t element = below(all + 6);  // some lie behind the buffer
        addresses[lane] = m.address + element * m.bytes;
        const bool counts = !a.shared && a.writes && (a.lanes >> lane & 1u);
        for (uint64_t e = element; counts && element < all && e < element + a.bytes / m.bytes;
             ++e) {
          if (e >= all) break;
          const Coord at = m.at(e * m.bytes);
          stored[static_cast<int>(a.cta.z)].insert({at.row, at.col});
          if (a.cta.z == 2) threads[{at.row, at.col}] = static_cast<int>(32 * a.warp + lane);
        }
      }
      EXPECT_TRUE(watch.see(a));
    }
    for (int z = 0; z < 3; ++z) {
      const CtaStores told = watch.stores_of({1, 0, z});
      std::set<std::pair<int, int>> covered;
      for (const TouchedBox& b : told.boxes) {
        for (int row = b.row; row < b.row + b.rows; ++row) {
          for (int col = b.col; col < b.col + b.cols; ++col) {
            EXPECT_TRUE(covered.insert({row, col}).second) << "twice";
          }
        }
      }
      EXPECT_EQ(covered, stored[z]);
      EXPECT_EQ(told.elements, stored[z].size());
    }
    for (int row = 0; row < static_cast<int>(m.rows); ++row) {
      for (int col = 0; col < static_cast<int>(m.cols); ++col) {
        const auto found = threads.find({row, col});
        EXPECT_EQ(watch.thread_at({row, col}), found == threads.end() ? -1 : found->second);
      }
    }
  }
}

}  // namespace
}  // namespace tilescope::worker
