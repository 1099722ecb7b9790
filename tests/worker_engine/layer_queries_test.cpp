// Measured layers: found again while their kernels' sources are the same.
#include "worker/engine/store/layer_queries.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/worker_engine/store_support.h"
#include "worker/engine/store/memory_store.h"

namespace tilescope::worker {
namespace {

struct LayerQueries : ::testing::Test {
  MemoryStore store;
  std::string keep(const KeptLayer& kept) { return keep_layer(store, kept, ""); }
  std::vector<KeptLayer> all(const std::string& kernel_dir = "") {
    return kept_layers(store, kStoreCard, kernel_dir);
  }
};

TEST_F(LayerQueries, TheNewestOfEachIsFoundAgain) {
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(keep(kept_layer(2, 30)), "");
  EXPECT_EQ(keep(kept_layer(1, 50)), "");
  EXPECT_EQ(keep(kept_layer(2, 28)), "");
  const std::vector<KeptLayer> found = all();
  ASSERT_EQ(found.size(), 2u);
  for (const KeptLayer& kept : found) {
    const KeptLayer expected = kept_layer(kept.cards, kept.cards == 2 ? 28 : 50);
    EXPECT_EQ(nlohmann::json(kept), nlohmann::json(expected));
  }
  EXPECT_TRUE(kept_layers(store, "NVIDIA H200 NVL", "").empty());
}

TEST_F(LayerQueries, AnotherSourceIsAnotherRun) {
  EXPECT_EQ(keep(kept_layer(2, 30)), "");
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
  EXPECT_EQ(keep(kept_layer(2, 30)), "");
  KeptLayer wrong = kept_layer(4, 30);
  wrong.result.bars[0].step = 99;
  EXPECT_EQ(keep(wrong), "");
  KeptLayer unknown = kept_layer(8, 30);
  unknown.request.choices[0].kernel = "of_another_version";
  EXPECT_EQ(keep(unknown), "");
  EXPECT_EQ(keep(kept_layer(1, 50)), "");
  const std::vector<KeptLayer> found = all();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].cards + found[1].cards, 3);
}

}  // namespace
}  // namespace tilescope::worker
