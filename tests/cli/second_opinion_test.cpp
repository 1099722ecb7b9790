// model --second-opinion: nvMatmulHeuristics's figures as a document, and what is said where it is
// missing, of another version, or ends its process.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

/// What doctor says of it.
json found() {
  const json all = run_cli({"doctor", "--json"}).json();
  for (const json& f : all) {
    if (f["what"] == "nvMatmulHeuristics") return f;
  }
  return {};
}

CliResult asked(std::vector<std::string> more) {
  more.insert(more.begin(), {"model", "--second-opinion"});
  return run_cli(more);
}

TEST(SecondOpinion, IsADocumentBesideOurs) {
  const json there = found();
  ASSERT_FALSE(there.is_null());
  if (there["state"] != "ok") GTEST_SKIP() << there["fix"];
  EXPECT_TRUE(there["version"].get<std::string>().starts_with("0.1.")) << there;
  const json document = asked({"--size", "2048", "--device", "A100", "--json"}).json();
  EXPECT_GT(document["time"]["us"], 0) << "the model's own stays";
  const json& o = document["second_opinion"];
  EXPECT_EQ(keys(o), (Names{"best", "gpu", "library", "measured", "tile", "why_not"}));
  EXPECT_EQ(o["gpu"], "A100 SXM 80GB");
  EXPECT_TRUE(o["why_not"].is_null());
  const Names tile = {"block",  "levels", "rank_us", "raster", "splits",
                      "stages", "us",     "warp",    "warps_k"};
  EXPECT_EQ(keys(o["tile"]), tile);
  EXPECT_EQ(o["tile"]["block"], json({128, 128, 64}));
  EXPECT_GE(o["tile"]["levels"]["dram"]["read"], 2 * 2048 * 2048 * 2);
  ASSERT_FALSE(o["best"].empty());
  for (const json& best : o["best"]) EXPECT_EQ(keys(best), tile);
  const std::string text = asked({"--size", "2048"}).out;
  EXPECT_NE(text.find("its best"), std::string::npos);
  EXPECT_NE(text.find("H200 SXM"), std::string::npos);
  EXPECT_FALSE(run_cli({"model", "--json"}).json().contains("second_opinion"));
}

TEST(SecondOpinion, BelongsToATileOfATensorCoreKernel) {
  EXPECT_EQ(asked({"--table", "001a"}).code, 2);
  if (found()["state"] != "ok") GTEST_SKIP() << "needs the library";
  const CliResult r = asked({"--kernel", "naive"});
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(r.out, "");
  EXPECT_NE(r.err.find("tensor-core kernels alone, and naive is none"), std::string::npos) << r.err;
}

class Library {
 public:
  Library(const char* file, const char* way) {
    setenv("TILESCOPE_MATMUL_HEURISTICS", file, 1);
    setenv("FAKE_HEURISTICS", way, 1);
  }
  ~Library() {
    unsetenv("TILESCOPE_MATMUL_HEURISTICS");
    unsetenv("FAKE_HEURISTICS");
  }
};

TEST(SecondOpinion, WithoutItTheRestWorksAndOneSentenceSaysSo) {
  const Library library("/nowhere/libnvMatmulHeuristics.so.0", "");
  const CliResult r = asked({"--json"});
  EXPECT_EQ(r.code, 3);
  const std::string said = r.json()["error"]["message"];
  EXPECT_NE(said.find("TILESCOPE_MATMUL_HEURISTICS names no library: /nowhere"), std::string::npos);
  EXPECT_NE(said.find("install the wheel nvidia-matmul-heuristics"), std::string::npos) << said;
  EXPECT_EQ(found()["state"], "missing");
  EXPECT_EQ(run_cli({"model"}).code, 0);
}

TEST(SecondOpinion, AnotherVersionIsNotCalled) {
  const Library library(TILESCOPE_FAKE_HEURISTICS, "newer");
  EXPECT_EQ(found()["state"], "missing");
  const CliResult r = asked({});
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.err.find("is nvMatmulHeuristics 0.7.5, of which 0.1 is known here"),
            std::string::npos)
      << r.err;
}

TEST(SecondOpinion, ItsProcessMayEnd) {
  const Library library(TILESCOPE_FAKE_HEURISTICS, "crash");
  const CliResult r = asked({});
  EXPECT_EQ(r.code, 4);
  EXPECT_NE(r.err.find("process of nvMatmulHeuristics was ended by signal 11"), std::string::npos)
      << r.err;
  const json there = found();
  EXPECT_EQ(there["state"], "degraded");
  EXPECT_NE(there["fix"].get<std::string>().find("signal 11"), std::string::npos) << there;
}

}  // namespace
}  // namespace tilescope
