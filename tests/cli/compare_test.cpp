// compare: two launches side by side, and why one takes longer.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

/// The parts are the difference of the two times, whoever said these.
void expect_whole(const json& compared) {
  ASSERT_TRUE(compared.is_object());
  ASSERT_TRUE(compared["why"].is_array());
  double sum = 0;
  for (const json& part : compared["why"]) sum += part["us"].get<double>();
  const double a = compared["time_us"]["a"], b = compared["time_us"]["b"];
  EXPECT_NEAR(sum, a - b, 1e-6 * (a + b));
}

json row_of(const json& compared, const std::string& id) {
  for (const json& row : compared["rows"]) {
    if (row["row"] == id) return row;
  }
  return {};
}

TEST(Compare, TwoTilesInTheEmulator) {
  TILESCOPE_NEED_NVRTC();
  const CliResult result = run_cli({"compare", "--a", "mma_multistage:swizzle=0", "--b",
                                    "mma_multistage", "--size", "256", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json compared = result.json();
  expect_whole(compared);
  EXPECT_EQ(compared["standing"], "modelled");
  EXPECT_EQ(compared["a"]["tile"]["swizzle"], 0);
  EXPECT_EQ(compared["b"]["tile"]["swizzle"], 1);
  EXPECT_TRUE(compared["a"]["verified"]["ok"].get<bool>());
  EXPECT_TRUE(compared["a"]["time_us"].is_null()) << "the emulator has no clock";
  const json conflicts = row_of(compared, "conflicts");
  EXPECT_GT(conflicts["a"].get<double>(), 0);
  EXPECT_EQ(conflicts["b"], 0);
  EXPECT_EQ(conflicts["better"], "b");
  EXPECT_TRUE(row_of(compared, "ctas")["better"].is_null()) << "neither is better";
}

TEST(Compare, WhatWasRecordedIsSplitByTheModelWithTheRestNamed) {
  const CliResult result =
      run_cli({"compare", "--a", "mma_multistage", "--b", "mma_multistage:block_n=256,stages=3",
               "--size", "4096", "--device", "recorded", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json compared = result.json();
  expect_whole(compared);
  EXPECT_EQ(compared["standing"], "recorded");
  EXPECT_EQ(compared["why"].back()["part"], "unexplained");
  EXPECT_EQ(compared["time_us"]["a"], compared["a"]["time_us"]);
}

TEST(Compare, APinOfTheSessionBringsItsProblem) {
  TILESCOPE_NEED_NVRTC();
  const std::string session = scratch_folder() + "/session.json";
  std::ofstream(session) << R"({"tilescope":1,"pinned":[{"name":"wide one","point":{"edit":{
    "kernel":"mma_sync","tile":{"block_m":64,"block_n":128},"size":[128,256,64],"layout":"TN",
    "c":"row_major","types":["bf16","bf16","f32"],"alpha":1.0,"beta":0.0,"bias":false}}}]})";
  const CliResult result = run_cli(
      {"compare", "--a", "wide one", "--b", "mma_multistage", "--session", session, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json compared = result.json();
  EXPECT_EQ(compared["a"]["kernel"], "mma_sync");
  EXPECT_EQ(compared["a"]["tile"]["block_n"], 128);
  EXPECT_EQ(compared["a"]["types"], json({"bf16", "bf16", "f32"}));
  EXPECT_EQ(compared["b"]["size"], json({128, 256, 64})) << "of the pin";
  expect_whole(compared);
  const CliResult other = run_cli({"compare", "--a", "wide one", "--b", "mma_multistage", "--size",
                                   "64", "--session", session, "--json"});
  EXPECT_EQ(other.json()["a"]["size"], json({64, 64, 64})) << "what is given comes first";
}

TEST(Compare, AFileWithItsSheetBesideARung) {
  TILESCOPE_NEED_NVRTC();
  const std::string file = TILESCOPE_SOURCE_DIR "/assets/examples/sgemm_race.cu";
  const CliResult result = run_cli({"compare", "--a", file, "--b", "block_tile", "--json"});
  ASSERT_EQ(result.code, 1) << result.err;  // it races, and says so
  EXPECT_NE(result.err.find("--a " + file), std::string::npos) << result.err;
  const json compared = result.json();
  EXPECT_TRUE(compared["why"].is_null()) << "what has no plan is not modelled";
  const json all = row_of(compared, "opcode.all");
  EXPECT_GT(all["a"].get<double>(), 0);
  EXPECT_GT(all["b"].get<double>(), 0);
  EXPECT_EQ(compared["b"]["size"], compared["a"]["size"]) << "of the sheet";
}

TEST(Compare, WhatIsWrongWithASideNamesIt) {
  const auto refused = [](const std::vector<std::string>& specs, const std::string& part) {
    std::vector<std::string> all = {"compare", "--session", "/nowhere/session.json"};
    all.insert(all.end(), specs.begin(), specs.end());
    const CliResult result = run_cli(all);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  };
  refused({"--a", "mma_sync", "--b", "best one"},
          "--b best one: this is no file (.cu, .ptx), no kernel and no pin");
  refused({"--a", "mma_sync:stages", "--b", "mma_sync"}, "--a mma_sync:stages");
  refused({"--a", "mma_sync", "--b", "mma_multistage:stages=8,block_m=256"},
          "--b mma_multistage:stages=8,block_m=256: shared memory");
  refused({"--a", "mma_sync"}, "--b is required");
  refused({"--a", "mma_sync", "--b", "/nowhere/a.cu"}, "/nowhere/a.cu");
  // Pins of any form: a sentence, whatever stands there.
  const std::string odd = scratch_folder() + "/odd.json";
  for (const char* edit : {"{}", R"({"kernel":7,"size":"x","tile":3})", R"({"own":{"file":[1]}})",
                           R"({"kernel":"naive","size":[0,1],"types":{"a":1},"tile":[1,2]})"}) {
    std::ofstream(odd) << R"({"pinned":[{"name":"x","point":{"edit":)" << edit << "}}]}";
    refused({"--a", "x", "--b", "mma_sync", "--session", odd}, "tilescope-cli: ");
  }
  std::ofstream(scratch_folder() + "/damaged.json") << "{";
  refused({"--a", "mma_sync", "--b", "x", "--session", scratch_folder() + "/damaged.json"},
          "--session");
}

}  // namespace
}  // namespace tilescope
