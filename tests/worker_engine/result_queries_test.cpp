// A result as a line, and which of several results counts.
#include "worker/engine/store/result_queries.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine_support.h"
#include "worker/engine/store/memory_store.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

MeasureResult measured(double tflops) {
  MeasureResult m;
  m.device_name = "NVIDIA H200", m.date = "2026-11-22", m.driver = "580.1";
  m.standing = "measured", m.tflops = tflops, m.time_us = 100, m.samples = 20, m.spread = 0.01;
  m.verified = Verification{1e-6, 1e-4, true};
  m.final = true;
  return m;
}

std::string source_of(const KernelRequest& request, const std::string& kernel_dir = "") {
  return SourceHash(kernel_dir).of(request, *find_kernel(request.kernel.c_str()));
}

std::string line(const KernelRequest& request, double tflops) {
  return recording_line(request, measured(tflops), "sm_90", "0123", source_of(request));
}

ResultsQuery query_of(const KernelRequest& request) {
  ResultsQuery query;
  query.of.problem = request.problem;
  query.of.card = "NVIDIA H200";
  query.sms = request.sms;
  return query;
}

std::vector<KnownResult> known(Store& store, const ResultsQuery& query,
                               const std::string& kernel_dir = "") {
  SourceHash built_in("");
  PresentSources sources(built_in, kernel_dir);
  return known_results(store, query, sources);
}

/// A folder for --kernel-dir whose naive kernel has another text.
void change_naive(const std::string& folder) {
  write_text(folder + "/01_naive.cuh",
             "// mine\n" + file_text(TILESCOPE_SOURCE_DIR "/kernels/01_naive.cuh"));
}

TEST(RecordingLine, ALineComesBackAsItWas) {
  KernelRequest request = default_request("mma_multistage", 4096, 4096, 512);
  request.problem.beta = 0.5f, request.problem.lda = 4104;
  request.problem.order_c = Order::column_major;
  const auto read =
      parse_recording(recording_line(request, measured(470.5), "sm_90", "0123", "4567"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->request.kernel, request.kernel);
  EXPECT_TRUE(read->request.tile == request.tile);
  EXPECT_EQ(read->request.problem, request.problem);
  EXPECT_EQ(read->request.sms, request.sms);
  EXPECT_EQ(read->arch, "sm_90");
  EXPECT_EQ(read->revision, "0123");
  EXPECT_EQ(read->source, "4567");
}

// Every field of a measurement, so that one that is added and not written down is found here.
TEST(RecordingLine, EveryFigureComesBack) {
  MeasureResult m = measured(470.5);
  m.device = "cuda:0", m.library = "cuBLASLt 13.1", m.library_tflops = 720;
  m.hot_tflops = 512.25, m.hot_library_tflops = 750;
  m.dropped = 3, m.samples_planned = 20;
  m.clock_mhz = 1755, m.power_w = 640.5, m.throttle = "power cap";
  m.registers = 254, m.spill_bytes = 8, m.compile_ms = 250.5;
  m.cold = false;
  m.verified->elements = m.verified->of = 4096;
  const KernelRequest request = default_request("mma_multistage", 4096, 4096, 512);
  const auto read = parse_recording(recording_line(request, m, "sm_90", "0123", "4567"));
  ASSERT_TRUE(read);
  nlohmann::json asked = m, got = read->result;
  asked["device"] = "recorded:NVIDIA H200", asked["standing"] = "recorded";
  EXPECT_EQ(got, asked);
  for (const auto& [name, value] : asked.items())
    EXPECT_TRUE(!value.is_null() || name == "counted") << name << " has no figure in this test";
  // What follows from it is written, too, as bench writes it.
  const auto line = nlohmann::json::parse(recording_line(request, m, "sm_90", "0123", "4567"));
  EXPECT_DOUBLE_EQ(line.at("of_library").get<double>(), 470.5 / 720);
  EXPECT_DOUBLE_EQ(line.at("tflops_per_ghz").get<double>(), 470.5 / 1.755);
}

// Nothing measured is null, in a file as in memory.
TEST(RecordingLine, WhatWasNotMeasuredIsNotThere) {
  const MeasureResult m = measured(470.5);
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  const auto read = parse_recording(recording_line(request, m, "", "", ""));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->result.hot_tflops);
  EXPECT_FALSE(read->result.power_w);
  EXPECT_FALSE(read->result.library);
  EXPECT_EQ(read->result.throttle, "");
  EXPECT_EQ(read->result.dropped, 0);
  EXPECT_TRUE(read->result.cold);
}

TEST(KnownResults, TheNewestOfATileCountsAndAnotherTextIsOlder) {
  const TemporaryFolder kernels;
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  MemoryStore store;
  ASSERT_EQ(store.keep(line(request, 1)), "");
  ASSERT_EQ(store.keep(line(request, 2)), "");
  auto found = known(store, query_of(request));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].tflops, 2);
  EXPECT_TRUE(found[0].measured);
  EXPECT_FALSE(found[0].older);
  // What ran later with another text is not the kernel that runs now.
  store.keep(recording_line(request, measured(3), "sm_90", "0123", "another text"));
  found = known(store, query_of(request));
  EXPECT_EQ(found[0].tflops, 2);
  // With an own kernel it is the other way round: what was measured of the built-in one is older.
  change_naive(kernels.path());
  found = known(store, query_of(request), kernels.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].older);
  EXPECT_NE(source_of(request), source_of(request, kernels.path()));
}

TEST(KnownResults, WhatIsWrongOrHasNoTimeIsNone) {
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  MemoryStore store;
  MeasureResult m = measured(1);
  m.verified->ok = false;
  store.keep(recording_line(request, m, "sm_90", "0123", source_of(request)));
  m = measured(1), m.time_us.reset();
  store.keep(recording_line(request, m, "sm_90", "0123", source_of(request)));
  EXPECT_TRUE(known(store, query_of(request)).empty());
}

// Of a card that is not there any more.
TEST(OwnResults, AreFoundAsTheListHasThem) {
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  MemoryStore store;
  SourceHash built_in("");
  PresentSources sources(built_in, "");
  const auto find = [&](const KernelRequest& asked, const char* card = "NVIDIA H200") {
    const auto found = own_result(store, card, asked, sources);
    return found ? found->result.tflops.value_or(0) : 0;
  };
  EXPECT_EQ(find(request), 0);
  store.keep(line(request, 1));
  store.keep(line(request, 2));
  store.keep(recording_line(request, measured(3), "sm_90", "0123", "another text"));
  EXPECT_EQ(find(request), 2) << "the newest of the present text, as known_results() has it";
  EXPECT_EQ(known(store, query_of(request))[0].tflops, 2);
  EXPECT_EQ(own_result(store, "NVIDIA H200", request, sources)->result.standing, "recorded");
  KernelRequest other = request;
  other.problem.beta = 1;
  EXPECT_EQ(find(other), 0);
  EXPECT_EQ(find(request, "NVIDIA A100"), 0);
  other = request, other.kernel = "of another version";
  EXPECT_EQ(find(other), 0);
}

TEST(KnownResults, OfAnotherCardProblemOrGridAreLeftOut) {
  const KernelRequest request = default_request("mma_stream_k", 4096, 4096, 4096);
  MemoryStore store;
  store.add_recorded(*parse_recording(line(request, 400)), 0);
  ResultsQuery query = query_of(request);
  auto found = known(store, query);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].measured) << "of the same name, but not on this machine";
  query.of.card = "NVIDIA H200 NVL";
  EXPECT_TRUE(known(store, query).empty());
  query.of.card = "H200";
  EXPECT_TRUE(known(store, query).empty()) << "part of a name is another name";
  query.of.card = "NVIDIA H200", query.sms = 60;
  EXPECT_TRUE(known(store, query).empty()) << "its grid is another";
  query.sms = request.sms, query.of.problem.k = 2048;
  EXPECT_TRUE(known(store, query).empty());
  query.of.problem.k = 4096, query.of.problem.beta = 1;
  EXPECT_TRUE(known(store, query).empty());
}

TEST(KnownResults, AnOwnKernelHasNoRecordings) {
  const TemporaryFolder kernels;
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  MemoryStore store;
  store.add_recorded(*parse_recording(line(request, 1)), 0);
  EXPECT_EQ(known(store, query_of(request), kernels.path()).size(), 1u)
      << "nothing of it is replaced";
  change_naive(kernels.path());
  EXPECT_TRUE(known(store, query_of(request), kernels.path()).empty());
}

TEST(KnownResults, WhatWasMeasuredHereStandsBeforeWhatWasRecorded) {
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  std::string newer = line(request, 9);
  newer.replace(newer.find("2026-11-22"), 10, "2027-01-01");
  MemoryStore store;
  store.add_recorded(*parse_recording(newer), 0);
  store.keep(line(request, 2));
  const auto found = known(store, query_of(request));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].measured);
  EXPECT_EQ(found[0].tflops, 2);
}

TEST(FoundRecording, TheFirstFolderThatHasOneCounts) {
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  std::string newer = line(request, 9);
  newer.replace(newer.find("2026-11-22"), 10, "2027-01-01");
  MemoryStore store;
  store.add_recorded(*parse_recording(line(request, 1)), 0);
  store.add_recorded(*parse_recording(line(request, 2)), 0);
  store.add_recorded(*parse_recording(newer), 1);
  EXPECT_EQ(find_recording(store, request)->result.tflops, 1) << "of one day the first";
  EXPECT_EQ(find_recording(store, request, "H200")->result.tflops, 1);
  EXPECT_FALSE(find_recording(store, request, "H200", true)) << "that is no card's whole name";
  EXPECT_TRUE(find_recording(store, request, "NVIDIA H200", true));
}

}  // namespace
}  // namespace tilescope::worker
