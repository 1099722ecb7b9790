// Recordings that a stranger has written, or that were damaged: left out, or of a size,
// a tile and a card that can be. Those that come with the program are all read.
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "core/files/whole_file.h"
#include "tests/random_tile.h"
#include "tests/worker_engine/recording_changes.h"
#include "tests/worker_engine/store_support.h"
#include "worker/engine/store/asset_files.h"
#include "worker/engine/store/asset_store.h"
#include "worker/engine/store/memory_store.h"
#include "worker/engine/store/plannable.h"
#include "worker/engine/store/result_queries.h"
#include "worker/engine/store/sqlite_tables.h"
#include "worker/messages/bounds.h"
#include "worker/messages/recorded_result.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

const KernelEntry& entry_named(const std::string& kernel) { return *find_kernel(kernel.c_str()); }

/// A right result of a kernel's default tile on 1024³, as JSON to be changed.
json recorded(const std::string& kernel) {
  const KernelRequest request = default_request(kernel, 1024, 1024, 1024);
  MeasureResult m;
  m.device_name = kStoreCard, m.date = "2026-11-22", m.driver = "580.1", m.standing = "measured";
  m.tflops = 300, m.time_us = 100, m.spread = 0.01, m.samples = 20;
  m.verified = Verification{1e-6, 1e-4, true};
  return json::parse(recording_line(request, m, "sm_90", "0123", "4567"));
}

std::string why_left_out(const std::string& line) {
  std::string why;
  return read_recording(line, &why) ? std::string() : why;
}

void expect_possible(const KernelRequest& r) {
  const Problem& p = r.problem;
  for (const int extent : {p.m, p.n, p.k}) EXPECT_TRUE(extent >= 1 && extent <= kMaxExtent);
  for (const long long leading : {p.lda, p.ldb, p.ldc}) {
    EXPECT_TRUE(leading >= 0 && leading <= kMaxLeadingDimension);
  }
  EXPECT_TRUE(r.sms >= 1 && r.sms <= kMostSms) << r.sms;
  EXPECT_TRUE(std::isfinite(p.alpha) && std::isfinite(p.beta));
  if (const KernelEntry* kernel = find_kernel(r.kernel.c_str())) {
    EXPECT_EQ(why_no_plan(r, *kernel), "") << describe(r);
  }
}

/// Asks all that a store is asked of a recording's size, of its own card and of one that is not so
/// large; what is answered can be.
void ask_all(const Recording& recording, SourceHash& built_in) {
  MemoryStore store;
  store.add_recorded(recording, 0);
  PresentSources sources(built_in, "");
  for (const int sms : {DeviceLimits().sm_count, 60, recording.request.sms}) {
    ResultsQuery query;
    query.of.problem = recording.request.problem;
    query.of.card = recording.result.device_name;
    query.sms = sms;
    for (const KnownResult& r : known_results(store, query, sources)) {
      expect_possible(r.request);
      EXPECT_TRUE(std::isfinite(r.tflops) && r.tflops >= 0) << r.tflops;
      EXPECT_TRUE(std::isfinite(r.time_us) && r.time_us >= 0) << r.time_us;
    }
    KernelRequest asked = recording.request;
    asked.sms = sms;
    find_recording(store, asked);
  }
  if (find_kernel(recording.request.kernel.c_str())) sources.of(recording.request);
}

TEST(OddRecording, SaysWhyItIsLeftOut) {
  const struct {
    const char* path;
    json value;
    const char* why;
  } kOdd[] = {
      {"/size/0", 0, "M is 0; choose 1 to 1,048,576"},
      {"/size/1", -1, "N is -1; choose 1 to 1,048,576"},
      {"/size/2", 1048577, "K is 1048577; choose 1 to 1,048,576"},
      {"/size/0", 4294968320, "M is 4294968320; choose"},  // 1024, to who takes 32 bits of it
      {"/size/0", 1e300, "M is 1e+300; choose"},
      {"/size/0", 1024.5, "M is 1024.5; choose"},
      {"/size/0", "1024", "M is \"1024\"; choose"},
      {"/sms", 0, "sms is 0; choose 1 to 1,024"},
      {"/sms", 1025, "sms is 1025; choose 1 to 1,024"},
      {"/sms", -7, "sms is -7; choose"},
      {"/lda", -1, "lda is -1; choose 0 to 1,099,511,627,776"},
      {"/ldb", 1LL << 41, "ldb is 2199023255552; choose"},
      {"/ldc", 5, "the leading dimension of C is 5; a line of it needs 1,024"},
      {"/tile/block_m", 0, "block M"},
      {"/tile/block_m", -128, "block_m is -128; choose 0 to 1,048,576"},
      {"/tile/block_m", 2147483647, "block_m is 2147483647; choose"},
      {"/tile/block_m", 100, "block M is 100; the nearest that this kernel offers is 128"},
      {"/tile/warp_m", 0, "warp M"},
      {"/tile/stages", 100000, "stages"},
      {"/tile/block_q", 1, "\"block_q\" is not a tile parameter"},
      {"/types", {"f32", "f32", "f32"}, "element types"},
      {"/alpha", 1e300, "alpha is no number that a float holds"},
      {"/tflops", -5, "tflops is -5; choose 0 to"},
      {"/time_us", 1e300, "time_us is 1e+300; choose 0 to"},
      {"/samples", 1e300, "samples is 1e+300; choose 0 to"},
      {"/registers", -1, "registers is -1; choose 0 to"},
      {"/verified/elements", -1, "elements is -1; choose 0 to"},
      {"/verified/first", {1e300, 0}, "first's row is 1e+300; choose 0 to"},
      {"/kernel", std::string("mma_multistage\0x", 16), "the kernel's name has a character 0"},
      {"/device", 7, "lacks a field of a recording, or one is of a wrong type"},
  };
  ASSERT_EQ(why_left_out(recorded("mma_multistage").dump()), "");
  for (const auto& odd : kOdd) {
    json line = recorded("mma_multistage");
    line[json::json_pointer(odd.path)] = odd.value;
    const std::string why = why_left_out(line.dump());
    EXPECT_NE(why.find(odd.why), std::string::npos) << odd.path << ": " << why;
  }
  EXPECT_EQ(why_left_out("{damaged"), "it is no recording");
}

// Such a line ended the store's process by a division by 0, whatever the kernel.
TEST(OddRecording, TilesOfNothingAreAskedOfNoKernel) {
  constexpr int kLargest = INT_MAX;
  for (const KernelEntry& kernel : kernel_table()) {
    for (const int value : {0, -1, 7, kMaxExtent, kMaxExtent + 1, kLargest}) {
      json line = recorded(kernel.info.id);
      line["sms"] = 7;
      for (auto& field : line["tile"]) field = value;
      EXPECT_NE(why_left_out(line.dump()), "") << kernel.info.id << " " << value;
    }
    // What is asked for may be as odd: of the one recording that is right nothing is found.
    MemoryStore store;
    store.add_recorded(*parse_recording(recorded(kernel.info.id).dump()), 0);
    KernelRequest asked = default_request(kernel.info.id, 1024, 1024, 1024);
    asked.sms = 0;
    EXPECT_FALSE(find_recording(store, asked)) << kernel.info.id;
    asked.tile = {};
    EXPECT_FALSE(same_launch(asked, default_request(kernel.info.id, 1024, 1024, 1024)));
    EXPECT_FALSE(find_recording(store, asked)) << kernel.info.id;
  }
}

TEST(OddRecording, ThousandsOfThemAreReadOrLeftOutAndNoneIsImpossible) {
  std::mt19937 random(32);
  SourceHash built_in("");
  int read = 0, left_out = 0;
  for (const KernelEntry& kernel : kernel_table()) {
    const json whole = recorded(kernel.info.id);
    for (int i = 0; i < 300; ++i) {
      json changed = whole;
      const TileConfig tile = random_tile(kernel, random);  // legal or not
      if (i % 3 == 0) changed["tile"] = recorded_tile(tile, kernel.sliders);
      if (i % 3 != 2) changed["sms"] = 1 + random() % kMostSms;
      for (int n = i % 4; n > 0; --n) change_value(changed, random);
      std::string line = changed.dump();
      if (i % 5 == 4) change_bytes(line, random);
      std::string why;
      const auto recording = read_recording(line, &why);
      EXPECT_NE(recording.has_value(), !why.empty()) << line;
      read_proof(line), read_layer(line);
      ++(recording ? read : left_out);
      if (!recording) continue;
      SCOPED_TRACE(line);
      expect_possible(recording->request);
      ask_all(*recording, built_in);
    }
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(left_out, 1000);
}

TEST(OddRecording, WordsOfARowAreReadOrRefused) {
  std::mt19937 random(33);
  int read = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    KernelRequest request = default_request("wgmma_cluster", 1024, 1024, 1024);
    request.problem.lda = 4096;
    std::string words = packed_request(request);
    if (i > 0) change_bytes(words, random);
    KernelRequest back;
    back.kernel = request.kernel, back.problem = request.problem;
    try {
      unpack_request(words, back);
      ++read;
      EXPECT_TRUE(back.sms >= 1 && back.sms <= kMostSms) << words;
      EXPECT_TRUE(back.problem.lda >= 0 && back.problem.lda <= kMaxLeadingDimension) << words;
      for (const TileField& field : kTileFields) {
        const int value = get(back.tile, field.id);
        EXPECT_TRUE(value >= 0 && value <= kMaxExtent) << words;
      }
      why_no_plan(back, entry_named(back.kernel));
    } catch (const std::invalid_argument&) {
      ++refused;
    }
    const bool same = back.tile == request.tile && back.problem == request.problem;
    EXPECT_TRUE(same || i > 0) << words;
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 100);
  // What 32 bits cut off of these was as good as the usual number.
  for (const char* words :
       {"4294967428 f16 f16 f32 row_major row_major row_major 0 0 0",
        "0 f16 f16 f32 row_major row_major row_major 0 0 0",
        "132 f16 f16 f32 row_major row_major row_major 1099511627777 0 0",
        "132 f16 f16 f32 row_major row_major row_major -1 0 0",
        "132 f16 f16 f32 row_major row_major row_major 0 0 0 block_m=4294967424",
        "132 f16 f16 f32 row_major row_major row_major 0 0 0 block_m=-1",
        "132 f16 f16 f32 row_major row_major row_major 0 0 0 block_m",
        "132 f16 f16 f32 row_major row_major row_major 0 0 0 =1", "132", ""}) {
    KernelRequest back;
    EXPECT_THROW(unpack_request(words, back), std::invalid_argument) << words;
  }
}

// What no card holds by today's rules, an older version of the kernel may have run.
TEST(OddRecording, ATileThatHasAPlanIsRead) {
  json line = recorded("mma_multistage");
  for (const auto& [name, value] : {std::pair("block_m", 256),
                                    {"block_n", 256},
                                    {"block_k", 128},
                                    {"warp_m", 64},
                                    {"warp_n", 64},
                                    {"stages", 8}}) {
    line["tile"][name] = value;
  }
  const auto large = parse_recording(line.dump());
  ASSERT_TRUE(large);
  const Violation v = entry_named("mma_multistage")
                          .validate(large->request.tile, large->request.problem, DeviceLimits());
  EXPECT_EQ(v.rule, Rule::shared_too_large);
  SourceHash built_in("");
  ask_all(*large, built_in);
  // Results of clusters are older than their splits.
  line = recorded("wgmma_cluster");
  line["tile"].erase("splits");
  const auto older = parse_recording(line.dump());
  ASSERT_TRUE(older);
  ask_all(*older, built_in);
  line["tile"]["block_m"] = 64, line["tile"]["warp_m"] = 128;
  EXPECT_FALSE(parse_recording(line.dump())) << "the rule behind that one is asked, too";
}

TEST(OddRecording, AllThatComeWithTheProgramAreRead) {
  const std::vector<std::string> folders = {TILESCOPE_SOURCE_DIR "/assets/recordings"};
  SourceHash built_in("");
  size_t recordings = 0, proofs = 0;
  for (const AssetFile& file : asset_files(folders)) {
    SCOPED_TRACE(file.path);
    const std::string text = file_text(file.path);
    for (const std::string_view line : files::lines_of(text)) {
      std::string why;
      if (file.proofs) {
        read_proof(line, &why);
        ++proofs;
      } else {
        EXPECT_TRUE(read_recording(line, &why));
        ++recordings;
      }
      EXPECT_EQ(why, "") << line;
    }
    int skipped = 0;
    if (file.proofs) continue;
    for (const Recording& r : read_recording_file(file.path, &skipped)) expect_possible(r.request);
    EXPECT_EQ(skipped, 0);
  }
  EXPECT_GT(recordings, 2000u);
  EXPECT_GT(proofs, 100u);
  AssetStore store(folders);
  EXPECT_FALSE(store.cards().empty());
  EXPECT_FALSE(store.proofs().empty());
  EXPECT_EQ(store.take_notice(), "");
}

}  // namespace
}  // namespace tilescope::worker
