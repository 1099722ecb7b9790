// The least that a launch can take, by what was counted of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "core/model/counted_time.h"

namespace tilescope::model {
namespace {

double us_of(const std::vector<LevelTime>& times, std::string_view name) {
  const auto found = std::ranges::find(times, name, &LevelTime::name);
  return found == times.end() ? -1 : found->us;
}

TEST(CountedTime, IsThatOfEachUnitAtItsFullRate) {
  const DeviceRow& card = device_table().front();
  const auto sms = static_cast<uint64_t>(card.limits.sm_count);
  const double cycle = 1 / card.clock_mhz;  // µs
  const CountedWork work{.ctas = 10 * sms,
                         .warp_instructions = 400 * sms,
                         .shared_wavefronts = 300 * sms,
                         .sectors = 80 * sms};
  const auto times = busy_times(work, card);
  EXPECT_NEAR(us_of(times, "instruction issue"), 100 * cycle, 1e-9);
  EXPECT_NEAR(us_of(times, "shared memory"), 300 * cycle, 1e-9);
  EXPECT_NEAR(us_of(times, "L1 requests"), 20 * cycle, 1e-9);
  // One CTA keeps one SM busy; none is no division by zero.
  CountedWork one = work;
  one.ctas = 1;
  EXPECT_NEAR(us_of(busy_times(one, card), "shared memory"), 300 * cycle * static_cast<double>(sms),
              1e-6);
  EXPECT_EQ(us_of(busy_times({}, card), "shared memory"), 0);
}

}  // namespace
}  // namespace tilescope::model
