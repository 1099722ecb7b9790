#include "core/model/device_table.h"

#include <gtest/gtest.h>

#include <string>

namespace tilescope::model {
namespace {

TEST(DeviceTable, RowsAreConsistent) {
  for (const DeviceRow& row : device_table()) {
    EXPECT_NE(std::string(row.source), "") << row.name;
    EXPECT_EQ(row.limits.shared_per_sm - row.limits.shared_per_block,
              row.limits.shared_reserved_per_block);
    // fp32: 128 FMA units per SM, 64 on the A100.
    const double units = row.limits.sm == 80 ? 64 : 128;
    EXPECT_NEAR(row.fp32_tflops, row.limits.sm_count * units * 2 * row.clock_mhz * 1e-6,
                0.01 * row.fp32_tflops)
        << row.name;
    EXPECT_GT(row.tensor_tflops, row.fp32_tflops);
  }
}

TEST(DeviceTable, TheDefaultLimitsAreThoseOfTheFirstRow) {
  const DeviceLimits defaults, first = device_table()[0].limits;
  EXPECT_EQ(defaults.sm, first.sm);
  EXPECT_EQ(defaults.sm_count, first.sm_count);
  EXPECT_EQ(defaults.shared_per_block, first.shared_per_block);
  EXPECT_EQ(defaults.shared_per_sm, first.shared_per_sm);
  EXPECT_EQ(defaults.ctas_per_sm, first.ctas_per_sm);
}

TEST(DeviceTable, FindsByPartOfTheName) {
  ASSERT_NE(find_device("H200"), nullptr);
  EXPECT_EQ(std::string(find_device("h200")->name), "NVIDIA H200");
  EXPECT_EQ(std::string(find_device("rtx 3090")->name), "NVIDIA GeForce RTX 3090");
  EXPECT_EQ(find_device("RTX"), nullptr);  // two of them
  EXPECT_EQ(find_device("V100"), nullptr);
  EXPECT_EQ(find_device(""), nullptr);
}

}  // namespace
}  // namespace tilescope::model
