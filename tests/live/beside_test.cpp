// Work beside the window: step after step until it says that it is done, never after it was
// dropped.
#include "app/live/beside.h"

#include <gtest/gtest.h>

#include <atomic>

namespace tilescope {
namespace {

TEST(Beside, TakesStepsUntilOneIsTheLast) {
  std::atomic<int> steps{0};
  {
    Beside beside([&] { return ++steps < 100; });
  }
  EXPECT_EQ(steps, 100);
}

TEST(Beside, IsOverWhenItIsDropped) {
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> wanted{true}, gone{false}, late{false};
    {
      Beside beside([&] {
        if (gone) late = true;
        return wanted.load();
      });
      wanted = false;
    }
    gone = true;
    EXPECT_FALSE(late);
  }
}

}  // namespace
}  // namespace tilescope
