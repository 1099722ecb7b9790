// --arithmetic: what ran says in which arithmetic products were summed.
#include <gtest/gtest.h>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

json arithmetic_of(const std::string& kernel, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"emulate", "--kernel", kernel, "--size", "64", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const CliResult r = run_cli(arguments);
  EXPECT_EQ(r.code, 0) << r.err;
  return r.json()["arithmetic"];
}

TEST(Arithmetic, IsTheCardsWhereThatWasProven) {
  TILESCOPE_NEED_NVRTC();
  EXPECT_EQ(arithmetic_of("mma_sync", {}), "products as sm_90 sums them");
  EXPECT_EQ(arithmetic_of("wmma", {"--arithmetic", "card"}), "products as sm_90 sums them");
  EXPECT_EQ(arithmetic_of("mma_sync", {"--arithmetic", "ieee"}), "products in IEEE f32");
  EXPECT_EQ(arithmetic_of("mma_sync", {"--arithmetic", "sm_80"}),
            "products as sm_80 sums them, by a published rule");
  EXPECT_TRUE(arithmetic_of("naive", {}).is_null());
}

TEST(Arithmetic, WhatIsNoneIsRefusedWithTheWayOut) {
  for (const auto& [value, part] :
       {std::pair{"fast", "--arithmetic fast is none of card, ieee and sm_NN, like sm_90"},
        std::pair{"sm_", "--arithmetic"}, std::pair{"sm_60", "70"},
        std::pair{"sm_90x", "--arithmetic"}}) {
    const CliResult r =
        run_cli({"emulate", "--kernel", "mma_sync", "--size", "64", "--arithmetic", value});
    EXPECT_EQ(r.code, 2) << value;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
  }
}

TEST(Arithmetic, TracesAndStepsTakeItToo) {
  TILESCOPE_NEED_NVRTC();
  for (const char* command : {"trace", "step"}) {
    const CliResult r =
        run_cli({command, "--kernel", "mma_sync", "--size", "64", "--arithmetic", "card"});
    EXPECT_EQ(r.code, 0) << r.err;
  }
}

}  // namespace
}  // namespace tilescope
