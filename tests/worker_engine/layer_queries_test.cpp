// Measured layers: found again while their kernels' sources are the same.
#include "worker/engine/store/layer_queries.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/worker_engine/support.h"
#include "worker/engine/store/memory_store.h"

namespace tilescope::worker {
namespace {

constexpr const char* kCard = "NVIDIA H200";

KeptLayer run_of(int ranks, double total_us) {
  KeptLayer kept;
  workload::Layer& layer = kept.request.layer;
  layer = {.kind = workload::LayerKind::column, .tokens = 64, .in = 64, .out = 128, .ranks = ranks};
  const workload::Workload w = make_workload(layer);
  for (const workload::Step& step : w.steps) {
    const KernelEntry& kernel = *find_kernel("mma_multistage");
    kept.request.choices.push_back(step.kind == workload::StepKind::gemm
                                       ? StepChoice{kernel.info.id, kernel.sliders.defaults()}
                                       : StepChoice{});
  }
  kept.card = kCard, kept.cards = ranks, kept.date = "2026-11-23";
  kept.result.device = kCard;
  kept.result.steps.resize(w.steps.size(), {.us = 7, .alone_us = 6});
  kept.result.bars = {{.step = 0, .chunk = 0, .rank = ranks - 1, .begin_us = 1, .end_us = 8}};
  kept.result.total_us = total_us;
  return kept;
}

struct LayerQueries : ::testing::Test {
  MemoryStore store;
  std::string keep(const KeptLayer& kept) { return keep_layer(store, kept, ""); }
  std::vector<KeptLayer> all(const std::string& kernel_dir = "") {
    return kept_layers(store, kCard, kernel_dir);
  }
};

TEST_F(LayerQueries, TheNewestOfEachIsFoundAgain) {
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(keep(run_of(2, 30)), "");
  EXPECT_EQ(keep(run_of(1, 50)), "");
  EXPECT_EQ(keep(run_of(2, 28)), "");
  const std::vector<KeptLayer> found = all();
  ASSERT_EQ(found.size(), 2u);
  for (const KeptLayer& kept : found) {
    const KeptLayer expected = run_of(kept.cards, kept.cards == 2 ? 28 : 50);
    EXPECT_EQ(nlohmann::json(kept), nlohmann::json(expected));
  }
  EXPECT_TRUE(kept_layers(store, "NVIDIA H200 NVL", "").empty());
}

TEST_F(LayerQueries, AnotherSourceIsAnotherRun) {
  EXPECT_EQ(keep(run_of(2, 30)), "");
  for (const char* changed : {"11_mma_multistage.cuh", "common/column_sum.cuh"}) {
    const TemporaryFolder kernels;
    std::filesystem::create_directory(kernels.path() + "/common");
    const std::string text = file_text(TILESCOPE_SOURCE_DIR "/kernels/" + std::string(changed));
    write_text(kernels.path() + "/" + changed, text);
    EXPECT_EQ(all(kernels.path()).size(), 1u) << changed;
    write_text(kernels.path() + "/" + changed, "// mine\n" + text);
    EXPECT_TRUE(all(kernels.path()).empty()) << changed;
  }
}

TEST_F(LayerQueries, ABadOneCostsItselfAlone) {
  EXPECT_EQ(keep(run_of(2, 30)), "");
  KeptLayer wrong = run_of(4, 30);
  wrong.result.bars[0].step = 99;
  EXPECT_EQ(keep(wrong), "");
  KeptLayer unknown = run_of(8, 30);
  unknown.request.choices[0].kernel = "of_another_version";
  EXPECT_EQ(keep(unknown), "");
  EXPECT_EQ(keep(run_of(1, 50)), "");
  const std::vector<KeptLayer> found = all();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].cards + found[1].cards, 3);
}

}  // namespace
}  // namespace tilescope::worker
