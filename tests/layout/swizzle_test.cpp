#include "core/layout/swizzle.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

namespace tilescope {
namespace {

constexpr Swizzle kModes[] = {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128};

TEST(Swizzle, IsAnInvolutionThatKeepsChunksWhole) {
  EXPECT_TRUE(rc::check([] {
    const Swizzle mode = kModes[*rc::gen::inRange(0, 4)];
    const int offset = *rc::gen::inRange(0, 1 << 20);
    const int swizzled = swizzle_bytes(mode, offset);
    RC_ASSERT(swizzle_bytes(mode, swizzled) == offset);
    RC_ASSERT(swizzled % 16 == offset % 16);
    RC_ASSERT(swizzled / 128 == offset / 128);  // stays in its 128-byte line
  }));
}

TEST(Swizzle, EightRowsOfOneColumnMeetEightBankGroups) {
  for (int chunk = 0; chunk < 8; ++chunk) {
    std::set<int> groups;
    for (int row = 0; row < 8; ++row) {
      groups.insert(swizzle_bytes(Swizzle::b128, row * 128 + chunk * 16) % 128 / 16);
    }
    EXPECT_EQ(groups.size(), 8u);
  }
}

TEST(Swizzle, ModeByRowLength) {
  EXPECT_EQ(swizzle_for_rows(16), Swizzle::none);
  EXPECT_EQ(swizzle_for_rows(32), Swizzle::b32);
  EXPECT_EQ(swizzle_for_rows(64), Swizzle::b64);
  EXPECT_EQ(swizzle_for_rows(96), Swizzle::b64);
  EXPECT_EQ(swizzle_for_rows(256), Swizzle::b128);
  for (Swizzle mode : kModes) EXPECT_EQ(swizzle_for_rows(swizzle_row_bytes(mode)), mode);
}

}  // namespace
}  // namespace tilescope
