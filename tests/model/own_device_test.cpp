// Cards that somebody has added: rows like the others, and none of the program's own names lost.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "core/model/own_devices.h"

namespace tilescope::model {
namespace {

class OwnDevices : public testing::Test {
 protected:
  ~OwnDevices() override { set_own_devices({}); }
};

OwnDevice named(const char* name, const DeviceRow& like = known_devices().front()) {
  OwnDevice device = device_like(like);
  device.name = name;
  return device;
}

TEST_F(OwnDevices, AreRowsLikeTheOthers) {
  OwnDevice mine = named("Bench H200 of mine");
  device_fields()[1].set(mine.row, 144);
  const DeviceRow* h200 = find_device("H200");
  ASSERT_NE(h200, nullptr);
  const std::span<const DeviceRow> before = device_table();
  set_own_devices({mine});
  EXPECT_EQ(device_table().size(), known_devices().size() + 1);
  const DeviceRow* row = find_device("of mine");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->limits.sm_count, 144);
  EXPECT_STREQ(row->name, "Bench H200 of mine");
  EXPECT_EQ(find_device("H200")->limits.sm_count, 132) << "a known name stays the known card's";
  EXPECT_NE(device_names().find("of mine"), std::string::npos);
  // Who has a span or a row of before keeps it.
  set_own_devices({});
  EXPECT_EQ(find_device("of mine"), nullptr);
  EXPECT_STREQ(row->name, "Bench H200 of mine");
  EXPECT_EQ(before.size(), known_devices().size());
}

TEST_F(OwnDevices, EachFieldReadsWhatItSet) {
  for (const DeviceRow& known : known_devices()) {
    std::set<std::string> keys;
    for (const DeviceField& field : device_fields()) {
      EXPECT_TRUE(keys.insert(field.key).second) << field.key;
      EXPECT_GE(field.get(known), field.least) << field.key << " of " << known.name;
      EXPECT_LE(field.get(known), field.most) << field.key << " of " << known.name;
      DeviceRow row = known;
      const double half = std::floor((field.least + field.most) / 2);
      field.set(row, field.whole ? half : (field.least + field.most) / 2);
      EXPECT_NEAR(field.get(row), field.whole ? half : (field.least + field.most) / 2,
                  1e-9 * field.most)
          << field.key;
    }
  }
}

TEST_F(OwnDevices, WhatCannotBeIsASentence) {
  EXPECT_EQ(why_no_device(named("")), "The card needs a name.");
  EXPECT_EQ(why_no_device(named("nvidia h200")),
            "NVIDIA H200 is known already: give yours another name.");
  OwnDevice many = named("x");
  device_fields()[1].set(many.row, 5000);
  EXPECT_EQ(why_no_device(many), "SMs: 5000 is not within 1 to 1024.");
  OwnDevice full = named("x");
  device_fields()[3].set(full.row, 228);
  EXPECT_NE(why_no_device(full).find("more than the SM's"), std::string::npos);
  for (const DeviceRow& known : known_devices()) EXPECT_EQ(why_no_device(named("x", known)), "");
}

// Any figures: said to be wrong, or a row that the table takes.
TEST_F(OwnDevices, AnyFiguresAreTakenOrTold) {
  std::mt19937_64 random(7);
  int taken = 0;
  for (int i = 0; i < 2000; ++i) {
    OwnDevice device = named("any");
    for (const DeviceField& field : device_fields()) {
      if (random() % 4 != 0) continue;
      const double part = std::uniform_real_distribution<double>(-0.05, 1.05)(random);
      const double value = field.least + part * (field.most - field.least);
      field.set(device.row, field.whole ? std::round(value) : value);
    }
    if (!why_no_device(device).empty()) continue;
    ++taken;
    set_own_devices({device});
    ASSERT_NE(find_device("any"), nullptr);
  }
  EXPECT_GT(taken, 20);
}

}  // namespace
}  // namespace tilescope::model
