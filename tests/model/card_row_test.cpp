#include "core/model/card_row.h"

#include <gtest/gtest.h>

namespace tilescope::model {
namespace {

TEST(CardRow, AKnownCardKeepsItsRatesAndHasItsOwnLimits) {
  for (const DeviceRow& known : device_table()) {
    CardFacts card{known.name, known.limits, 1, 2, 3};
    card.limits.sm_count = 7;  // a part of it
    const DeviceRow row = row_of_card(card);
    EXPECT_STREQ(row.name, known.name);
    EXPECT_EQ(row.limits.sm_count, 7);
    EXPECT_EQ(row.tensor_tflops, known.tensor_tflops);
    EXPECT_EQ(row.dram_gb_per_second, known.dram_gb_per_second);
  }
}

TEST(CardRow, AnUnknownCardIsItsLikestScaledBySmsAndClock) {
  const DeviceRow& h100 = *find_device("H100");
  const std::string name = "NVIDIA H100 half";
  CardFacts card{name, h100.limits, h100.clock_mhz / 2, 3300, 50e6};
  card.limits.sm_count = 66;
  const DeviceRow row = row_of_card(card);
  EXPECT_EQ(row.name, name);
  EXPECT_NE(std::string(row.source).find("H100 80GB HBM3"), std::string::npos)
      << "by its memory, no H200";
  EXPECT_DOUBLE_EQ(row.fp32_tflops, h100.fp32_tflops / 4);
  EXPECT_DOUBLE_EQ(row.tensor_tflops, h100.tensor_tflops / 4);
  EXPECT_DOUBLE_EQ(row.l2_bytes_per_clock, h100.l2_bytes_per_clock / 2);
  EXPECT_EQ(row.dram_gb_per_second, 3300);
  EXPECT_EQ(row.l2_bytes, 50e6);
  card.clock_mhz = card.dram_gb_per_second = card.l2_bytes = 0;  // a driver that does not say
  EXPECT_EQ(row_of_card(card).clock_mhz, h100.clock_mhz);
  card.limits.sm = 86;
  EXPECT_NE(std::string(row_of_card(card).source).find("3090"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::model
