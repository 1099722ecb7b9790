// A layer's ranks on cards of their own, through the real processes, the stand-in driver and an
// NCCL that checks its calls; and on one card that stands for all of them.
#include <gtest/gtest.h>

#include "core/workload/layer.h"
#include "tests/driver/card.h"
#include "tests/sampled.h"

namespace tilescope {
namespace {

using nlohmann::json;
using worker::RealWorker;
using worker::Reply;
using worker::request;

std::vector<std::string> layer_of(const std::string& kind, int ranks, const std::string& device,
                                  std::vector<std::string> more = {}) {
  std::vector<std::string> all{"layer",    kind,    "--tokens",  "72",      "--in",
                               "40",       "--out", "56",        "--ranks", std::to_string(ranks),
                               "--chunks", "2",     "--seconds", "0.01",    "--device",
                               device};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

json run(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const CliResult result = run_cli(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.json();
}

std::vector<workload::LayerKind> kinds() {
  return {std::begin(workload::kLayerKinds), std::end(workload::kLayerKinds)};
}

void expect_right(const json& layer, size_t matrices) {
  ASSERT_TRUE(layer.is_object());
  const json& verified = layer.at("verified");
  EXPECT_EQ(verified.at("ok"), true) << verified;
  EXPECT_EQ(verified.at("whole"), true);
  EXPECT_EQ(verified.at("matrices").size(), matrices) << verified;
}

TEST(LayerOnCards, EachRankHasACardOfItsOwn) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_DEVICES", "4"}, {"TILESCOPE_NCCL", TILESCOPE_FAKE_NCCL}};
  for (const workload::LayerKind kind : sampled(kinds(), 2, 1)) {
    const int ranks = 2 + static_cast<int>(kind) % 3;
    const json layer = run(layer_of(name_of(kind), ranks, "cuda"));
    expect_right(layer, kind == workload::LayerKind::mlp ? 8 : 4);
    EXPECT_EQ(layer.at("collective"), "NCCL 2.99.99");
    EXPECT_EQ(layer.at("modelled_card"), "Emulated GPU") << "no other card's figures";
    EXPECT_EQ(layer.at("device").get<std::string>().substr(0, 4), std::to_string(ranks) + " ×");
    EXPECT_TRUE(layer.at("total").at("measured_us").is_number());
    for (const json& step : layer.at("steps")) {
      EXPECT_TRUE(step.at("measured_us").is_number()) << step;
      EXPECT_TRUE(step.at("alone_us").is_number()) << step;
    }
  }
}

TEST(LayerOnCards, YIsGatheredFromUnevenRanks) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_DEVICES", "3"}, {"TILESCOPE_NCCL", TILESCOPE_FAKE_NCCL}};
  expect_right(run(layer_of("column", 3, "cuda", {"--gather"})), 5);
  expect_right(run(layer_of("column", 3, "cuda:0", {"--gather"})), 5);
}

TEST(LayerOnCards, OneCardStandsForAllRanks) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_NCCL", "/nowhere"}};  // is not asked for
  for (const workload::LayerKind kind : sampled(kinds(), 2, 2)) {
    const json layer = run(layer_of(name_of(kind), 3, "cuda"));
    expect_right(layer, kind == workload::LayerKind::mlp ? 8 : 4);
    EXPECT_NE(layer.at("collective").get<std::string>().find("on one card"), std::string::npos);
    // One after the other is no measurement of a layer on three cards, nor of a link.
    EXPECT_TRUE(layer.at("total").at("measured_us").is_null());
    for (const json& step : layer.at("steps")) {
      const bool own = step.at("op") == "gemm" || step.at("op") == "column_sum";
      EXPECT_EQ(step.at("measured_us").is_number(), own) << step;
    }
  }
}

TEST(LayerOnCards, OneRankNeedsNobodyElse) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_NCCL", "/nowhere"}};
  const json layer = run(layer_of("linear", 1, "cuda:0"));
  expect_right(layer, 4);
  EXPECT_TRUE(layer.at("collective").is_null());
  EXPECT_TRUE(layer.at("total").at("measured_us").is_number());
}

// What is wrong is named, and nothing is timed, on any rank.
TEST(LayerOnCards, AWrongResultIsNotMeasured) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_DEVICES", "2"}, {"TILESCOPE_NCCL", TILESCOPE_FAKE_NCCL}};
  const std::string kernels = kernels_with("common/column_sum.cuh", "row < end;", "row < end - 1;");
  for (const char* device : {"cuda", "cuda:1"}) {
    const CliResult result =
        run_cli(layer_of("column", 2, device, {"--kernel-dir", kernels, "--json"}));
    EXPECT_EQ(result.code, 1) << result.err;
    const json layer = result.json();
    ASSERT_TRUE(layer.is_object());
    EXPECT_EQ(layer["verified"]["ok"], false);
    for (const json& matrix : layer["verified"]["matrices"]) {
      // One card sums what its ranks have by the same kernel.
      const bool summed =
          matrix["matrix"] == "db" || (matrix["matrix"] == "dX" && device != std::string("cuda"));
      EXPECT_EQ(matrix["ok"], !summed) << matrix;
    }
    EXPECT_TRUE(layer["total"]["measured_us"].is_null());
    for (const json& step : layer["steps"]) EXPECT_TRUE(step["measured_us"].is_null());
  }
}

TEST(LayerOnCards, WithoutNcclIsOneSentence) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_DEVICES", "2"}, {"TILESCOPE_NCCL", "/nowhere"}};
  expect_sentence(layer_of("column", 2, "cuda"), 3,
                  "TILESCOPE_NCCL names no library: /nowhere; name libnccl.so.2 or its folder");
}

// Whenever a rank dies, the run ends with one sentence, and soon: the other one, which would wait
// for ever, is ended.
TEST(LayerOnCards, ARankThatIsKilledEndsTheRun) {
  TILESCOPE_NEED_NVRTC();
  for (const char* call : {"1:0", "1:1", "0:2", "1:3", "1:5"}) {
    const Card card{{"TILESCOPE_EMULATED_DEVICES", "2"},
                    {"TILESCOPE_NCCL", TILESCOPE_FAKE_NCCL},
                    {"TILESCOPE_FAKE_NCCL_DIES", call}};
    const std::string rank(1, *call);
    expect_sentence(layer_of("column", 2, "cuda"), 4,
                    "Rank " + rank + " of 2 (cuda:" + rank +
                        ") failed: Kernel faulted: the GPU "
                        "process was ended by signal 9");
  }
}

TEST(LayerOnCards, ARankThatHangsEndsTheRun) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_DEVICES", "2"},
                  {"TILESCOPE_NCCL", TILESCOPE_FAKE_NCCL},
                  {"TILESCOPE_FAKE_NCCL_HANGS", "1:1"}};
  expect_sentence(layer_of("row", 2, "cuda", {"--time-limit", "3"}), 4,
                  "said nothing for 3 s while");
}

TEST(LayerOnCards, AnErrorOfNcclNamesTheRank) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_DEVICES", "2"},
                  {"TILESCOPE_NCCL", TILESCOPE_FAKE_NCCL},
                  {"TILESCOPE_FAKE_NCCL_FAILS", "1:1"}};
  expect_sentence(layer_of("column", 2, "cuda"), 4,
                  "Rank 1 of 2 (cuda:1) failed: NCCL failed to add over the ranks: internal error");
}

TEST(LayerOnCards, AfterAFailureTheCardsAreFree) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_DEVICES", "2"},
                  {"TILESCOPE_NCCL", TILESCOPE_FAKE_NCCL},
                  {"TILESCOPE_FAKE_NCCL_DIES", "1:1"}};
  RealWorker real;
  const json planned = run(layer_of("column", 2, "emulator", {"--no-run"}));
  json params = {
      {"layer", {{"kind", "column"}, {"tokens", 72}, {"in", 40}, {"out", 56}, {"ranks", 2}}},
      {"choices", json::array()},
      {"measure", false},
      {"devices", {"cuda:0", "cuda:1"}}};
  for (const json& step : planned.at("steps")) {
    params["choices"].push_back(step.at("kernel").is_null() ? json::object()
                                                            : json{{"kernel", step.at("kernel")},
                                                                   {"tile", step.at("tile")}});
  }
  const Reply failed = real.call("cuda:0", "layer", params);
  EXPECT_FALSE(failed.ok);
  for (const char* device : {"cuda:0", "cuda:1"}) {
    const Reply reply = real.call(device, "verify", request("naive", 32));
    EXPECT_TRUE(reply.ok) << reply.error.message;
  }
}

TEST(LayerOnCards, ALayerThatDoesNotFitIsOneSentence) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_MEMORY", "200000"}};
  expect_sentence(layer_of("mlp", 2, "cuda:0"), 3, "free");
}

}  // namespace
}  // namespace tilescope
