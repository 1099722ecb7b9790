// What of recordings, proofs, layers and older files is too long or none of what it should be: it
// is left out, a sentence says so once, and the rest is there.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/worker_engine/store_support.h"
#include "worker/engine/store/asset_files.h"
#include "worker/engine/store/left_out.h"
#include "worker/engine/store/sqlite_store.h"

namespace tilescope::worker {
namespace {

namespace fs = std::filesystem;

/// A right result with a field that nobody knows, so many bytes long.
std::string line_of_bytes(double tflops, size_t bytes) {
  std::string line = result_line(tflops);
  const std::string field = R"(,"unknown":")";
  line.insert(line.size() - 1,
              field + std::string(bytes - line.size() - field.size() - 1, 'x') + '"');
  EXPECT_EQ(line.size(), bytes);
  return line;
}

struct StoreLimits : ::testing::Test {
  TemporaryFolder folder;
  std::string assets = folder.path() + "/assets", own = folder.path() + "/own";
  std::string file = assets + "/1.jsonl";

  StoreLimits() {
    fs::create_directories(assets);
    fs::create_directories(own + "/layers");
  }
  static std::vector<double> tflops_in(Store& store) {
    std::vector<double> all;
    for (const StoredResult& r : store.results(results_of_cube())) all.push_back(*r.tflops);
    return all;
  }
  /// Both stores that read files say the same of them.
  void expect_told(const std::vector<double>& there, const std::string& notice) {
    AssetStore alone({assets});
    SqliteStore with_own(own, {assets});
    for (Store* store : {static_cast<Store*>(&alone), static_cast<Store*>(&with_own)}) {
      EXPECT_EQ(tflops_in(*store), there);
      EXPECT_EQ(store->take_notice(), notice);
      EXPECT_EQ(tflops_in(*store), there);
      EXPECT_EQ(store->take_notice(), "") << "once";
    }
  }
};

using Tflops = std::vector<double>;

TEST_F(StoreLimits, ALineMayBeAsLongAsItMayBe) {
  write_text(file, line_of_bytes(1, kMostLineBytes) + "\n" + result_line(2) + "\n");
  expect_told({1, 2}, "");
  write_text(file, result_line(2) + "\n\n" + line_of_bytes(1, kMostLineBytes + 1) + "\n");
  expect_told(
      {2},
      "1 line of " + file +
          " is left out; correct or remove it (line 3: it has 65,537 bytes, of at most 65,536).");
}

TEST_F(StoreLimits, HowManyLinesAreLeftOutIsSaidWithTheFirstOfThem) {
  std::string odd = result_line(3);
  odd.replace(odd.find("[1024,"), 6, "[0,");
  write_text(file, result_line(1) + "\n" + odd + "\n{damaged\n \r\n" + odd + "\n" + result_line(2));
  expect_told({1, 2}, "3 lines of " + file +
                          " are left out; correct or remove them (the first, line 2: M is 0; "
                          "choose 1 to 1,048,576).");
}

TEST_F(StoreLimits, OfAFileThatChangesWhatIsNewIsSaid) {
  write_text(file, result_line(1) + "\n{damaged\n");
  write_text(assets + "/2.jsonl", "{damaged\n");
  AssetStore alone({assets});
  SqliteStore with_own(own, {assets});
  for (Store* store : {static_cast<Store*>(&alone), static_cast<Store*>(&with_own)}) {
    tflops_in(*store);
    EXPECT_NE(store->take_notice().find(file), std::string::npos);
  }
  write_text(file, result_line(1) + "\n{damaged\n{damaged\n");
  for (Store* store : {static_cast<Store*>(&alone), static_cast<Store*>(&with_own)}) {
    tflops_in(*store);
    const std::string notice = store->take_notice();
    EXPECT_EQ(notice.find("2 lines of " + file), 0u) << notice;
    EXPECT_EQ(notice.find("2.jsonl"), std::string::npos) << notice;
  }
}

TEST_F(StoreLimits, AFileOfMoreThanItsLimitIsLeftOutWhole) {
  write_text(file, result_line(1) + "\n");
  fs::resize_file(file, kMostFileBytes + 1);  // without a byte of it on the disk
  write_text(assets + "/2.jsonl", result_line(2) + "\n");
  expect_told({2}, file +
                       " is left out: it has 67,108,865 bytes, of at most 67,108,864; make "
                       "several files of it.");
  int skipped = 0;
  EXPECT_TRUE(read_recording_file(file, &skipped).empty());
}

// A list of all lines would take sixteen times the file.
TEST_F(StoreLimits, AFileOfEmptyLinesIsRead) {
  write_text(file, std::string(4u << 20, '\n') + result_line(1));
  expect_told({1}, "");
}

TEST_F(StoreLimits, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((assets + "/0.jsonl").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((own + "/0.jsonl").c_str(), 0600), 0);
  fs::create_directories(assets + "/3.jsonl");
  write_text(file, result_line(1) + "\n");
  EXPECT_EQ(asset_files({assets}).size(), 1u);
  expect_told({1}, "");
}

TEST_F(StoreLimits, ManyFilesAreNoWallOfWords) {
  for (int i = 0; i < 200; ++i) write_text(assets + "/" + std::to_string(i) + ".jsonl", "{damaged");
  AssetStore store({assets});
  tflops_in(store);
  const std::string notice = store.take_notice();
  EXPECT_LT(notice.size(), 3000u);
  EXPECT_TRUE(notice.ends_with(" There are more files like these.")) << notice;
}

TEST_F(StoreLimits, OfProofsItIsSaidToo) {
  const std::string proofs = assets + "/proofs-1.jsonl";
  Proof never;
  never.atom = "d", never.device = "NVIDIA H200", never.date = "2026-11-20";
  never.unsupported = "It has none.";
  write_text(proofs, proof_line("a", "NVIDIA H200", "2026-11-20") + nlohmann::json(never).dump() +
                         "\n{\"atom\":1}\n" + std::string(kMostLineBytes + 1, ' ') + "1\n");
  AssetStore alone({assets});
  SqliteStore with_own(own, {assets});
  for (Store* store : {static_cast<Store*>(&alone), static_cast<Store*>(&with_own)}) {
    EXPECT_EQ(store->proofs().size(), 1u);
    EXPECT_EQ(store->take_notice(),
              "2 lines of " + proofs +
                  " are left out; correct or remove them (the first, line 3: it is no proof).");
  }
}

TEST_F(StoreLimits, OfAnOlderVersionsFilesItIsSaidToo) {
  const std::string results = own + "/NVIDIA_H200.jsonl",
                    layers = own + "/layers/NVIDIA_H200.jsonl";
  KeptLayer odd = kept_layer(2, 30);
  odd.request.choices[0].tile.block_m = 0;
  write_text(results, result_line(1) + "\n" + line_of_bytes(2, kMostLineBytes + 1) + "\n" +
                          result_line(3) + "\n{cut");
  write_text(layers, layer_line({odd, "x"}) + "\n" + layer_line({kept_layer(1, 50), "y"}) + "\n");
  SqliteStore store(own, {});
  EXPECT_EQ(tflops_in(store), (Tflops{1, 3}));
  const std::string notice = store.take_notice();
  EXPECT_NE(
      notice.find(
          "1 line of " + results +
          " is left out; correct or remove it (line 2: it has 65,537 bytes, of at most 65,536)."),
      std::string::npos)
      << notice;
  EXPECT_NE(notice.find("1 line of " + layers + " is left out; correct or remove it (line 1: "),
            std::string::npos)
      << notice;
  EXPECT_NE(notice.find("block M is 0"), std::string::npos) << notice;
  ASSERT_EQ(store.layers(kStoreCard).size(), 1u);
  SqliteStore again(own, {});
  EXPECT_EQ(tflops_in(again), (Tflops{1, 3}));
  EXPECT_EQ(again.take_notice(), "") << "each line once";
}

// Without an end it is passed over, and what stands behind it is read.
TEST_F(StoreLimits, AnOlderVersionsFileIsReadByPieces) {
  const std::string results = own + "/NVIDIA_H200.jsonl";
  write_text(results, result_line(1) + "\n");
  fs::resize_file(results, 2 * kMostFileBytes + 100);  // one line of zeros
  write_text(results + ".end", "\n" + result_line(2) + "\n");
  const std::string end = file_text(results + ".end");
  fs::remove(results + ".end");
  std::FILE* out = std::fopen(results.c_str(), "ab");
  ASSERT_TRUE(out);
  ASSERT_EQ(std::fwrite(end.data(), 1, end.size(), out), end.size());
  std::fclose(out);
  SqliteStore store(own, {});
  EXPECT_EQ(tflops_in(store), (Tflops{1, 2}));
  EXPECT_NE(store.take_notice().find(" of " + results + " "), std::string::npos);
}

TEST_F(StoreLimits, NothingLongerThanItCanReadIsKept) {
  SqliteStore store(own, {});
  EXPECT_EQ(store.keep(line_of_bytes(1, kMostLineBytes + 1)),
            "The result is not kept: it has 65,537 bytes, of at most 65,536.");
  KeptLayer large = kept_layer(2, 30);
  large.result.device = std::string(kMostLayerBytes, 'x');
  EXPECT_EQ(store.keep_layer({large, "x"}).find("The result is not kept: it has 8,389,"), 0u);
  EXPECT_EQ(store.keep_layer({kept_layer(2, 30), "x"}), "");
  EXPECT_EQ(store.layers(kStoreCard).size(), 1u);
}

// All ranks and chunks that there can be, times with all of their digits.
TEST_F(StoreLimits, TheLargestLayerIsKeptWithRoomToSpare) {
  workload::Layer layer;
  size_t most = 0;
  for (const workload::LayerKind kind : workload::kLayerKinds) {
    KeptLayer kept = kept_layer(1, 30);
    layer = {.kind = kind, .ranks = workload::kMostRanks, .chunks = workload::kMostChunks};
    layer.gather = can_gather(kind);
    kept.request.layer = layer;
    kept.cards = layer.ranks;
    kept.request.choices.clear(), kept.result.bars.clear(), kept.result.steps.clear();
    const workload::Workload w = make_workload(layer);
    const KernelEntry& kernel = *find_kernel("mma_multistage");
    for (size_t i = 0; i < w.steps.size(); ++i) {
      const workload::Step& step = w.steps[i];
      kept.request.choices.push_back(step.kind == workload::StepKind::gemm
                                         ? StepChoice{kernel.info.id, kernel.sliders.defaults()}
                                         : StepChoice{});
      kept.result.steps.push_back({.us = 12345.678901234567, .alone_us = 12345.678901234567});
      for (int chunk = 0; chunk < step.chunks; ++chunk) {
        for (int rank = is_collective(step) ? -1 : 0; rank < layer.ranks; ++rank) {
          kept.result.bars.push_back({.step = static_cast<int>(i),
                                      .chunk = chunk,
                                      .rank = rank,
                                      .begin_us = 123456.78901234567,
                                      .end_us = 123456.78901234567});
          if (is_collective(step)) break;
        }
      }
    }
    for (const workload::Matrix& m : w.matrices) {
      kept.result.checks.push_back({m.name, Verification{1e-6, 1e-4, true}});
    }
    const std::string line = layer_line({kept, "x"});
    most = std::max(most, line.size());
    std::string why;
    EXPECT_TRUE(read_layer(line, &why)) << why;
  }
  EXPECT_LT(2 * most, kMostLayerBytes);
  EXPECT_GT(most, kMostLineBytes) << "which is why it has a limit of its own";
  RecordProperty("largest_layer_bytes", std::to_string(most));
}

}  // namespace
}  // namespace tilescope::worker
