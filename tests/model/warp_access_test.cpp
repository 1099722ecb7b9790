#include "core/model/global_access.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

namespace tilescope::model {
namespace {

WarpAccess strided(int bytes, int64_t stride, int64_t base = 0) {
  WarpAccess access;
  access.bytes = bytes;
  for (int lane = 0; lane < 32; ++lane) access.add(lane, base + lane * stride);
  return access;
}

TEST(Sectors, UnitStride) {
  EXPECT_EQ(global_cost(strided(4, 4)).sectors, 4);
  EXPECT_EQ(global_cost(strided(8, 8)).sectors, 8);
  EXPECT_EQ(global_cost(strided(16, 16)).sectors, 16);
  EXPECT_EQ(global_cost(strided(2, 2)).sectors, 2);
  EXPECT_EQ(global_cost(strided(4, 4)).lines, 1);
  EXPECT_EQ(global_cost(strided(16, 16)).lines, 4);
}

TEST(Sectors, MisalignmentAddsOne) {
  EXPECT_EQ(global_cost(strided(4, 4, 4)).sectors, 5);
  EXPECT_EQ(global_cost(strided(4, 4, 4)).lines, 2);
}

TEST(Sectors, SameAddressAndFarApart) {
  EXPECT_EQ(global_cost(strided(4, 0)).sectors, 1);
  EXPECT_EQ(global_cost(strided(4, 4096)).sectors, 32);
  EXPECT_EQ(global_cost(strided(4, 4096)).lines, 32);
}

TEST(Sectors, InactiveLanesDoNotCount) {
  WarpAccess access = strided(4, 32);
  access.active = 0x0f;
  EXPECT_EQ(global_cost(access).sectors, 4);
  GlobalSum sum;
  sum.add(access);
  EXPECT_EQ(sum.bytes, 16u);
  access.active = 0;
  sum.add(access);
  EXPECT_EQ(sum.requests, 1u);
}

TEST(Sectors, EqualsASet) {
  EXPECT_TRUE(rc::check([] {
    WarpAccess access;
    access.bytes = 1 << *rc::gen::inRange(0, 5);
    std::set<int64_t> sectors;
    for (int lane = 0; lane < 32; ++lane) {
      if (*rc::gen::inRange(0, 4) == 0) continue;
      const int64_t at = *rc::gen::inRange(0, 300) * access.bytes;
      access.add(lane, at);
      for (int b = 0; b < access.bytes; ++b) sectors.insert((at + b) / 32);
    }
    RC_ASSERT(global_cost(access).sectors == static_cast<int>(sectors.size()));
  }));
}

}  // namespace
}  // namespace tilescope::model
