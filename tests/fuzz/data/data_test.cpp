// What others hand to the program, whole and mutated, with the ordinary builds: nothing but what a
// reader throws comes out of any. TILESCOPE_ALL: 20,000 of each; the fuzzer does it by the million
// (tests/fuzz/fuzz).
#include <gtest/gtest.h>

#include <cstdlib>

#include "data_target.h"
#include "mutate.h"

namespace tilescope::fuzz {
namespace {

class Data : public testing::TestWithParam<DataTarget> {};

TEST_P(Data, IsReadOrRefused) {
  const DataTarget& target = GetParam();
  const std::vector<std::string> seeds = target.seeds();
  ASSERT_FALSE(seeds.empty());
  for (const std::string& seed : seeds) {
    EXPECT_LE(seed.size(), target.longest);
    EXPECT_TRUE(target.one_input(seed)) << seed;
  }
  std::mt19937 random(32);
  std::string text;
  for (int left = std::getenv("TILESCOPE_ALL") ? 20000 : 150; left > 0; --left) {
    // Mutations of mutations, and now and then from the beginning.
    if (text.empty() || random() % 8 == 0) text = seeds[random() % seeds.size()];
    text = mutated(text, target.longest, random);
    ASSERT_NO_THROW(target.one_input(text)) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Data, testing::ValuesIn(data_targets()),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace tilescope::fuzz
