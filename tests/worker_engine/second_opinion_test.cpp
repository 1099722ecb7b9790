// nvMatmulHeuristics: what is asked of it, what it answers where the build fetched it, and the
// sentence where it is not.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/model/device_table.h"
#include "kernels/registry.h"
#include "worker/engine/error.h"
#include "worker/engine/heuristics/heuristic_cards.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/second_opinion.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

constexpr const char* kVariable = "TILESCOPE_MATMUL_HEURISTICS";

KernelRequest request(const char* kernel, int m, int n, int k) {
  const KernelEntry& entry = *find_kernel(kernel);
  Problem p = default_problem(entry.info);
  p.m = m, p.n = n, p.k = k;
  return {kernel, entry.sliders.defaults(), p};
}

json call(const char* method, const json& params) {
  CallContext context;
  return heuristics_methods().at(method)(params, context);
}
json asked(const KernelRequest& request, const std::string& gpu, int count = 8) {
  json params = request;
  params["gpu"] = gpu, params["count"] = count;
  return call("secondOpinion", params);
}
RpcError refused(const KernelRequest& request, const std::string& gpu, int count = 8) {
  try {
    asked(request, gpu, count);
  } catch (const RpcError& error) {
    return error;
  }
  ADD_FAILURE() << "is answered";
  return {};
}

/// Stands first in a test of the library itself.
#define TILESCOPE_NEED_HEURISTICS()                                              \
  if (const std::string why = call("library", {}).at("why_not"); !why.empty()) { \
    GTEST_SKIP() << why;                                                         \
  }

TEST(SecondOpinion, EveryCardOfOurTableIsOneOfTheLibrarys) {
  for (const model::DeviceRow& row : model::device_table()) {
    EXPECT_NE(heuristic_card(row.name), nullptr) << row.name;
  }
  EXPECT_EQ(heuristic_card("NVIDIA H200")->gpu, 9003);
  EXPECT_EQ(heuristic_card("NVIDIA H20")->gpu, 9004) << "a name within another";
  EXPECT_EQ(heuristic_card("NVIDIA H2"), nullptr);
  EXPECT_EQ(heuristic_card(""), nullptr);
}

TEST(SecondOpinion, JudgesTheTileAndSuggestsOthers) {
  TILESCOPE_NEED_HEURISTICS();
  const auto o =
      asked(request("mma_multistage", 4096, 4096, 4096), "NVIDIA H200").get<SecondOpinion>();
  EXPECT_TRUE(o.library.starts_with("nvMatmulHeuristics 0.1.")) << o.library;
  EXPECT_EQ(o.gpu, "H200 SXM");
  ASSERT_TRUE(o.present) << o.why_not;
  EXPECT_EQ(o.present->block_m, 128);
  EXPECT_EQ(o.present->block_k, 64);
  EXPECT_EQ(o.present->warps_k, 1);
  EXPECT_EQ(o.present->stages, 3);
  EXPECT_EQ(o.present->group, 8);
  // Between the roof of its tensor cores and a tenth of it; bytes between what must come and what
  // CTAs ask for.
  EXPECT_GT(o.present->us, 2.0 * 4096 * 4096 * 4096 / 989.4e12 * 1e6);
  EXPECT_LT(o.present->us, 2.0 * 4096 * 4096 * 4096 / 98.94e12 * 1e6);
  EXPECT_GE(o.present->dram_read, 2.0 * 4096 * 4096 * 2);
  EXPECT_LT(o.present->dram_read, o.present->l2_read);
  EXPECT_LE(o.present->l2_read, 32.0 * 32 * 4096 * (128 + 128) * 2);
  EXPECT_GE(o.best.size(), 4u);
  for (const OpinionTile& tile : o.best) {
    EXPECT_GT(tile.us, 0);
    EXPECT_EQ(tile.splits, 1) << "the kernel has none";
    EXPECT_EQ(tile.block_m % 32, 0) << "the least that the kernel has";
  }
  for (size_t i = 1; i < o.best.size(); ++i) {
    EXPECT_GE(o.best[i].rank_us, o.best[i - 1].rank_us * 0.999) << i;
  }
}

TEST(SecondOpinion, AllOfTheLadderCanBeAsked) {
  TILESCOPE_NEED_HEURISTICS();
  for (const KernelEntry& kernel : kernel_table()) {
    const KernelRequest r = request(kernel.info.id, 1024, 512, 2048);
    const KernelPlan plan = kernel.plan(r.tile, r.problem);
    if (plan.math() == Math::mma && !plan.split.present()) {
      const auto o = asked(r, "NVIDIA GeForce RTX 4090", 3).get<SecondOpinion>();
      EXPECT_NE(o.present.has_value(), !o.why_not.empty()) << kernel.info.id;
      EXPECT_LE(o.best.size(), 3u);
      EXPECT_FALSE(o.best.empty()) << kernel.info.id;
    } else {
      const RpcError error = refused(r, "NVIDIA GeForce RTX 4090");
      EXPECT_EQ(error.exit_code, kMissing) << kernel.info.id;
      EXPECT_NE(error.message.find(kernel.info.id), std::string::npos) << error.message;
    }
  }
}

TEST(SecondOpinion, OperandsLieAsTheProblemSays) {
  TILESCOPE_NEED_HEURISTICS();
  // Its profile of an A100 tells the orders of A and B apart; which way C lies, it does not ask.
  const auto us = [](Order a, Order b, Order c) {
    KernelRequest r = request("mma_multistage", 512, 8192, 4096);
    r.problem.order_a = a, r.problem.order_b = b, r.problem.order_c = c;
    return asked(r, "NVIDIA A100-SXM4-80GB").get<SecondOpinion>().present->us;
  };
  constexpr Order kRow = Order::row_major, kColumn = Order::column_major;
  EXPECT_NE(us(kRow, kColumn, kRow), us(kColumn, kRow, kRow));
  EXPECT_EQ(us(kRow, kColumn, kRow), us(kRow, kColumn, kColumn));
}

TEST(SecondOpinion, TilesThatSharedKOfStreamKAreNotPredicted) {
  TILESCOPE_NEED_HEURISTICS();
  const auto o =
      asked(request("mma_stream_k", 256, 256, 16384), "NVIDIA H200").get<SecondOpinion>();
  EXPECT_FALSE(o.present);
  EXPECT_EQ(o.why_not, "It does not predict Stream-K.");
  KernelRequest split = request("mma_stream_k", 256, 256, 16384);
  split.tile.splits = 4;
  const auto with = asked(split, "NVIDIA H200").get<SecondOpinion>();
  ASSERT_TRUE(with.present) << with.why_not;
  EXPECT_EQ(with.present->splits, 4);
}

TEST(SecondOpinion, WhatItDoesNotKnowIsNamed) {
  TILESCOPE_NEED_HEURISTICS();
  const KernelRequest r = request("mma_multistage", 1024, 1024, 1024);
  const RpcError card = refused(r, "NVIDIA GeForce GTX 970");
  EXPECT_EQ(card.exit_code, kMissing);
  EXPECT_NE(card.message.find("knows no NVIDIA GeForce GTX 970"), std::string::npos);
  EXPECT_NE(card.message.find("H200 SXM"), std::string::npos) << card.message;
  EXPECT_EQ(refused(r, "NVIDIA H200", 0).exit_code, kUsage);
  EXPECT_EQ(refused({"none", {}, r.problem}, "NVIDIA H200").exit_code, kUsage);
}

class Elsewhere {
 public:
  explicit Elsewhere(const char* file) { setenv(kVariable, file, 1); }
  ~Elsewhere() { unsetenv(kVariable); }
};

TEST(SecondOpinion, AMissingLibraryIsOneSentence) {
  for (const char* file : {"/nowhere/libnvMatmulHeuristics.so.0", "libm.so.6"}) {
    const Elsewhere elsewhere(file);
    const RpcError error = refused(request("mma_multistage", 1024, 1024, 1024), "NVIDIA H200");
    EXPECT_EQ(error.exit_code, kMissing);
    EXPECT_NE(error.message.find(file), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("install the wheel nvidia-matmul-heuristics"), std::string::npos);
    const json found = call("library", {});
    EXPECT_EQ(found.at("version"), "");
    EXPECT_EQ(found.at("why_not"), error.message);
  }
}

TEST(SecondOpinion, SurvivesTheWire) {
  SecondOpinion o{.library = "nvMatmulHeuristics 0.1.0",
                  .gpu = "L4",
                  .measured = true,
                  .best = {},
                  .present = std::nullopt,
                  .why_not = "Because."};
  o.best.push_back({.block_m = 128,
                    .block_n = 64,
                    .block_k = 32,
                    .warp_m = 64,
                    .warp_n = 32,
                    .warps_k = 2,
                    .stages = 4,
                    .splits = 3,
                    .group = 8,
                    .us = 10,
                    .rank_us = 11,
                    .dram_read = 1e6,
                    .dram_write = 2e6,
                    .l2_read = 3e6,
                    .l2_hit_rate = 0.5});
  const auto back = json::parse(json(o).dump()).get<SecondOpinion>();
  EXPECT_EQ(back.best, o.best);
  EXPECT_FALSE(back.present);
  EXPECT_EQ(back.why_not + back.library + back.gpu, o.why_not + o.library + o.gpu);
  EXPECT_TRUE(back.measured);
  o.present = o.best[0];
  EXPECT_EQ(json(o).get<SecondOpinion>().present, o.present);
}

}  // namespace
}  // namespace tilescope::worker
