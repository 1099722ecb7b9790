// Reading and finding results that were measured elsewhere.
#include <gtest/gtest.h>

#include "engine_support.h"
#include "worker/engine/store/memory_store.h"
#include "worker/engine/store/result_queries.h"

namespace tilescope::worker {
namespace {

const std::string kLine =
    R"({"kernel":"mma_multistage","tile":{"block_m":128,"block_n":128,"block_k":64,"warp_m":64,)"
    R"("warp_n":64,"stages":3,"raster":8,"swizzle":1},"size":[4096,4096,4096],)"
    R"("types":["f16","f16","f32"],"layout":"TN","device":"NVIDIA H200","standing":"measured",)"
    R"("date":"2026-11-20","driver":"580.1","verified":{"norm":1e-6,"tolerance":1e-4,"ok":true},)"
    R"("tflops":309.5,"spread":0.01,"samples":20,"time_us":444.1,)"
    R"("library":{"name":"cuBLASLt 13.0","tflops":720},"of_library":0.43,"clock_mhz":null,)"
    R"("registers":254,"spill_bytes":0,"compile_ms":250,"bytes":{"model":null},"arch":"sm_90",)"
    R"("revision":"0123"})";

MemoryStore store_of(const std::vector<Recording>& recordings) {
  MemoryStore store;
  for (const Recording& r : recordings) store.add_recorded(r, 0);
  return store;
}

bool found_in(const std::vector<Recording>& recordings, const KernelRequest& request) {
  MemoryStore store = store_of(recordings);
  return find_recording(store, request).has_value();
}

TEST(Recording, IsFoundByWhatRan) {
  TemporaryFolder folder;
  std::string newer = kLine;
  newer.replace(newer.find("2026-11-20"), 10, "2026-12-24");
  newer.replace(newer.find("309.5"), 5, "333.5");
  const std::string file = folder.path() + "/h200.jsonl";
  write_text(file, newer + "\n{damaged\n\n" + kLine + "\n");
  int skipped = 0;
  const auto read = read_recording_file(file, &skipped);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(skipped, 1);
  MemoryStore recordings = store_of(read);
  KernelRequest request = default_request("mma_multistage", 4096, 4096, 4096);
  const auto found = find_recording(recordings, request);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->result.tflops, 333.5);
  EXPECT_EQ(found->result.standing, "recorded");
  EXPECT_FALSE(found->result.clock_mhz);
  EXPECT_EQ(found->result.library, "cuBLASLt 13.0");
  EXPECT_TRUE(found->result.verified->ok);
  EXPECT_EQ(found->arch, "sm_90");
  EXPECT_FALSE(is_older(*found, "0123"));
  EXPECT_TRUE(is_older(*found, "4567"));
  EXPECT_TRUE(find_recording(recordings, request, "H200"));
  EXPECT_FALSE(find_recording(recordings, request, "A100"));
  // Neither another beta nor lines that lie apart are what was recorded.
  request.problem.beta = 0.5f;
  EXPECT_FALSE(find_recording(recordings, request));
  request.problem.beta = 0, request.problem.lda = 4104;
  EXPECT_FALSE(find_recording(recordings, request));
  std::string padded = kLine;
  padded.insert(padded.size() - 1, R"(,"lda":4104)");
  EXPECT_TRUE(found_in({*parse_recording(padded)}, request));
  request.problem.lda = 0;
  EXPECT_FALSE(found_in({*parse_recording(padded)}, request));
  request.tile.stages = 4;
  EXPECT_FALSE(find_recording(recordings, request));
  request = default_request("mma_multistage", 4096, 4096, 4097);
  EXPECT_FALSE(find_recording(recordings, request));
}

TEST(Recording, MayHaveCounters) {
  EXPECT_FALSE(parse_recording(kLine)->counters);
  std::string line = kLine;
  line.insert(
      line.size() - 1,
      R"(,"counters":{"dram__bytes_read.sum":67e6,"other":null},"counters_by":"ncu 2025.3")");
  const auto recording = parse_recording(line);
  ASSERT_TRUE(recording && recording->counters);
  EXPECT_EQ(recording->counters->values.size(), 1u) << "null is no figure";
  EXPECT_EQ(recording->counters->values.at("dram__bytes_read.sum"), 67e6);
  EXPECT_EQ(recording->counters->date, "2026-11-20");
  EXPECT_EQ(recording->counters->standing, "recorded");
  EXPECT_EQ(recording->counters->device_name, "NVIDIA H200");
  EXPECT_EQ(recording->counters->tool, "ncu 2025.3");
  line = kLine;
  line.insert(line.size() - 1, R"(,"counters":null)");
  EXPECT_FALSE(parse_recording(line)->counters) << "asked for, and not had";
}

// Stream-K's grid is made of the card's SMs: another card's grid is another launch.
TEST(Recording, OfAGridOfOtherSmsIsNotFound) {
  std::string line = kLine;
  line.replace(line.find("mma_multistage"), 14, "mma_stream_k");
  const std::string swizzle = R"("swizzle":1)";
  line.insert(line.find(swizzle) + swizzle.size(), R"(,"splits":0,"min_ctas":1)");
  line.insert(line.size() - 1, R"(,"sms":114)");
  MemoryStore recordings = store_of({*parse_recording(line)});
  KernelRequest request = default_request("mma_stream_k", 4096, 4096, 4096);
  EXPECT_FALSE(find_recording(recordings, request));
  request.sms = 114;
  EXPECT_TRUE(find_recording(recordings, request));
  // With one CTA per tile the grid is the same on each card.
  std::string one = line;
  one.replace(one.find(R"("splits":0)"), 10, R"("splits":1)");
  request.sms = 132, request.tile.splits = 1;
  EXPECT_TRUE(found_in({*parse_recording(one)}, request));
}

TEST(Recording, WhatIsNoneIsLeftOut) {
  EXPECT_TRUE(parse_recording(kLine));
  for (const char* bad : {"", "[]", "{}", "null", R"({"kernel":"mma_multistage"})"}) {
    EXPECT_FALSE(parse_recording(bad)) << bad;
  }
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"mma_multistage", "gone"},
                                 {"\"TN\"", "\"XY\""},
                                 {"\"f16\"", "\"f11\""},
                                 {"block_m", "block_q"},
                                 {"[4096,4096,4096]", "[4096]"}}) {
    std::string line = kLine;
    line.replace(line.find(from), from.size(), to);
    EXPECT_FALSE(parse_recording(line)) << line;
  }
  EXPECT_TRUE(read_recording_file("/nonexistent/file").empty());
  // Of a kernel that this build does not know it is one all the same: the next build may.
  std::string line = kLine;
  line.replace(line.find("mma_multistage"), 14, "gone");
  EXPECT_TRUE(read_recording(line));
  EXPECT_FALSE(read_recording(std::string(1'000'000, '[')));
}

}  // namespace
}  // namespace tilescope::worker
