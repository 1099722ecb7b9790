// layer: its document, what it refuses, and that its figures belong together.
#include <gtest/gtest.h>

#include <map>

#include "core/model/device_table.h"
#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

json layer(std::vector<std::string> arguments, int code = 0) {
  arguments.insert(arguments.begin(), "layer");
  arguments.push_back("--json");
  const CliResult result = run_cli(arguments);
  EXPECT_EQ(result.code, code) << result.err;
  return result.json();
}

// Every field of the contract; whatever was not measured is null.
TEST(Layer, HasTheKeysOfTheContract) {
  const json j = layer({"column", "--ranks", "2", "--chunks", "4", "--no-run"});
  ASSERT_TRUE(j.is_object());
  for (const char* key : {"kind", "ranks", "steps", "verified", "total"}) {
    EXPECT_TRUE(j.contains(key)) << key;
  }
  EXPECT_EQ(j["kind"], "column");
  EXPECT_TRUE(j["verified"].is_null());
  EXPECT_TRUE(j["total"]["measured_us"].is_null());
  EXPECT_GT(j["total"]["modelled_us"].get<double>(), 0);
  for (const json& step : j["steps"]) {
    for (const char* key : {"name", "op", "size", "layout", "kernel", "tile", "flop", "bytes",
                            "bytes_between_ranks", "modelled_us", "measured_us"}) {
      EXPECT_TRUE(step.contains(key)) << key << " of " << step["name"];
    }
    EXPECT_TRUE(step["measured_us"].is_null());
    EXPECT_GT(step["modelled_us"].get<double>(), 0) << step["name"];
    EXPECT_EQ(step["size"].is_array(), step["op"] == "gemm");
  }
}

// Figures of the design: qwen2.5-72B's layer over two ranks.
TEST(Layer, HalvesOfALayer) {
  const json j = layer({"column", "--tokens", "4096", "--in", "8192", "--out", "29696", "--ranks",
                        "2", "--chunks", "4", "--no-run"});
  std::map<std::string, json> steps;
  for (const json& step : j["steps"]) steps[step["name"]] = step;
  const json& y = steps.at("Y = X·Wᵀ + b");
  EXPECT_EQ(y["size"], json({4096, 14848, 8192}));
  EXPECT_EQ(y["layout"], "TN");
  EXPECT_EQ(y["flop"], 2.0 * 4096 * 14848 * 8192);
  EXPECT_EQ(y["bias"], true);
  EXPECT_EQ(steps.at("part of dX = dY·W")["layout"], "TT");
  EXPECT_EQ(steps.at("part of dX = dY·W")["chunks"], 4);
  EXPECT_EQ(steps.at("dW = dYᵀ·X")["layout"], "NT");
  EXPECT_EQ(steps.at("all-reduce dX")["bytes_between_ranks"], 4.0 * 4096 * 8192);
  // W, X, Y and dY in half precision, b too; dX and dW in single, db too.
  const double half = 14848.0 * 8192 * 2 + 4096.0 * 8192 * 2 + 2 * 4096.0 * 14848 * 2 + 14848 * 2;
  const double single = 4096.0 * 8192 * 4 + 14848.0 * 8192 * 4 + 14848 * 4;
  EXPECT_EQ(j["held_bytes"], json({half + single, half + single}));
}

// A model's figure says for which card it is; another can be asked for without having it.
TEST(Layer, TheModelSaysForWhichCard) {
  const json own = layer({"column", "--no-run"});
  for (const model::DeviceRow& row : model::device_table()) {
    const json j = layer({"column", "--no-run", "--card", row.name});
    EXPECT_EQ(j["modelled_card"], row.name);
    EXPECT_EQ(j["total"]["modelled_us"] == own["total"]["modelled_us"],
              j["modelled_card"] == own["modelled_card"]);
  }
  const CliResult none = run_cli({"layer", "column", "--no-run", "--card", "Abacus"});
  EXPECT_NE(none.code, 0);
  EXPECT_NE(none.err.find("Abacus"), std::string::npos);
  EXPECT_NE(none.err.find(own["modelled_card"]), std::string::npos) << none.err;
}

TEST(Layer, IsVerifiedInTheEmulator) {
  TILESCOPE_NEED_NVRTC();
  const json j = layer({"mlp", "--tokens", "40", "--in", "24", "--out", "56", "--ranks", "2"});
  EXPECT_EQ(j["device"], "emulator");
  EXPECT_EQ(j["verified"]["ok"], true);
  EXPECT_EQ(j["verified"]["matrices"].size(), 8u);
  EXPECT_TRUE(j["total"]["measured_us"].is_null());
  EXPECT_EQ(j["bars"]["measured"], json::array());
  EXPECT_NE(j["bars"]["modelled"], json::array());
}

TEST(Layer, OneRungForAll) {
  const json all = layer({"linear", "--kernel", "mma_multistage", "--no-run"});
  for (const json& step : all["steps"]) {
    EXPECT_EQ(step["kernel"].is_null(), step["op"] != "gemm");
    if (step["op"] == "gemm") {
      EXPECT_EQ(step["kernel"], "mma_multistage");
    }
  }
  // A rung that cannot: said of the step, and nothing is run or added up.
  const json j = layer({"linear", "--kernel", "naive", "--no-run"});
  EXPECT_TRUE(j["total"]["modelled_us"].is_null());
  EXPECT_NE(j["steps"][0]["why_not"].get<std::string>().find("No rung computes"),
            std::string::npos);
}

}  // namespace
}  // namespace tilescope
