// The tables of the notes (seed 001), corrected where their own code prints something else.
#include "core/model/notes.h"

#include <gtest/gtest.h>

namespace tilescope::model::notes {
namespace {

TEST(Notes, TableOfRegisters) {
  const std::vector<ClockRow> rows = table_a(Count::elements);
  const double intensity[] = {6.4, 12.8, 12.190, 9.846, 10.240, 10.667, 12.8, 10.667, 11.636};
  const double bytes[] = {80, 40, 42, 52, 50, 48, 40, 48, 44};
  const double clocks[] = {8, 512, 512, 128, 256, 128, 1024, 256, 256};
  ASSERT_EQ(rows.size(), 9u);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(rows[i].intensity, intensity[i], 6e-4);
    EXPECT_DOUBLE_EQ(rows[i].bytes_per_clock, bytes[i]);
    EXPECT_DOUBLE_EQ(rows[i].clocks, clocks[i]);
  }
}

TEST(Notes, TableOfSharedMemory) {
  const std::vector<ClockRow> rows = table_b(Count::elements);
  const double intensity[] = {6.4,    21.333, 21.333, 21.333, 21.333, 19.692, 14.222,
                              15.059, 16.0,   32.0,   21.333, 18.286, 18.286};
  const double bytes[] = {80, 24, 24, 24, 24, 26, 36, 34, 32, 16, 24, 28, 28};
  const double clocks[] = {8, 1024, 2048, 2048, 1024, 1024, 512, 1024, 512, 4096, 1024, 1024, 512};
  ASSERT_EQ(rows.size(), 13u);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(rows[i].intensity, intensity[i], 6e-4);
    EXPECT_DOUBLE_EQ(rows[i].bytes_per_clock, bytes[i]);
    EXPECT_DOUBLE_EQ(rows[i].clocks, clocks[i]);
  }
}

struct Printed {
  double intensity, gb, ms, hit, mfu;
};

TEST(Notes, TableOfTheProblem) {
  const std::vector<ProblemRow> rows = table_c(Count::elements);
  ASSERT_EQ(rows.size(), 44u);
  const auto expect = [&](size_t i, Printed want) {
    EXPECT_NEAR(rows[i].intensity, want.intensity, 1e-3) << i;
    EXPECT_NEAR(rows[i].gb_per_second, want.gb, 1e-3) << i;
    EXPECT_NEAR(rows[i].ms, want.ms, 1e-3) << i;
    EXPECT_NEAR(rows[i].l2_hit_percent, want.hit, 1e-3) << i;
    EXPECT_NEAR(rows[i].mfu_percent, want.mfu, 1e-3) << i;
  };
  expect(0, {1.778, 2330.141, 0.109, 35.802, 6.25});
  expect(5, {1.992, 2079.342, 0.109, 29.362, 6.25});  // the notes print 2097.342
  expect(6, {3.200, 2589.169, 0.109, 42.454, 12.5});  // the notes print 12.25
  expect(17, {5.929, 2095.802, 0.109, 29.784, 18.75});
  expect(24, {7.998, 4143.341, 0.109, 82.366, 50.0});
  // M = 16: the notes print the intensity and GB/s of M = 8.
  expect(30, {10.663, 6215.569, 0.109, 100.0, 15.059});
  expect(31, {25.578, 2591.122, 0.109, 42.504, 100.0});
  expect(32, {25.578, 2591.122, 0.109, 42.504, 100.0});
  expect(33, {28.417, 2332.233, 0.109, 35.856, 100.0});
  expect(35, {30.087, 2202.789, 0.109, 32.532, 100.0});
  expect(36, {10.663, 6215.569, 14.002, 100.0, 15.059});
  expect(37, {63.862, 1037.788, 14.002, 2.614, 100.0});
  expect(40, {102.048, 649.454, 14.002, 0.0, 100.0});
  expect(43, {127.451, 520.010, 14.002, 0.0, 100.0});
}

TEST(Notes, BytesHalveTheIntensity) {
  const auto elements = table_a(Count::elements), bytes = table_a(Count::bytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_DOUBLE_EQ(bytes[i].intensity, elements[i].intensity / 2);
    EXPECT_DOUBLE_EQ(bytes[i].bytes_per_clock, elements[i].bytes_per_clock * 2);
    EXPECT_DOUBLE_EQ(bytes[i].clocks, elements[i].clocks);
  }
}

TEST(Notes, BytesAreDecimalAndUseL2sOwnBandwidth) {
  const auto elements = table_c(Count::elements), bytes = table_c(Count::bytes);
  const double gib = 1024.0 * 1024 * 1024 / 1e9;
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_NEAR(bytes[i].gb_per_second, elements[i].gb_per_second * 2 * gib, 1e-6);
    EXPECT_NEAR(bytes[i].intensity, elements[i].intensity / 2, 1e-9);
  }
  EXPECT_NEAR(bytes[36].mfu_percent, 100 * 4830 / bytes[36].gb_per_second, 1e-9);
}

}  // namespace
}  // namespace tilescope::model::notes
