// Own results on disk: what is appended, what a damaged file costs, and which of them count.
#include "worker/engine/gpu/result_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "support.h"
#include "worker/engine/compile/source_hash.h"
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
  return stored_line(request, measured(tflops), "sm_90", "0123", source_of(request));
}

ResultsQuery query_of(const KernelRequest& request, const std::string& store) {
  ResultsQuery query;
  query.problem = request.problem;
  query.name = "NVIDIA H200";
  query.store = store;
  query.sms = request.sms;
  return query;
}

TEST(ResultStore, ALineComesBackAsItWas) {
  KernelRequest request = default_request("mma_multistage", 4096, 4096, 512);
  request.problem.beta = 0.5f, request.problem.lda = 4104;
  request.problem.order_c = Order::column_major;
  const auto read = parse_recording(stored_line(request, measured(470.5), "sm_90", "0123", "4567"));
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
TEST(ResultStore, EveryFigureComesBack) {
  MeasureResult m = measured(470.5);
  m.device = "cuda:0", m.library = "cuBLASLt 13.1", m.library_tflops = 720;
  m.hot_tflops = 512.25, m.hot_library_tflops = 750;
  m.dropped = 3, m.samples_planned = 20;
  m.clock_mhz = 1755, m.power_w = 640.5, m.throttle = "power cap";
  m.registers = 254, m.spill_bytes = 8, m.compile_ms = 250.5;
  m.cold = false;
  m.verified->elements = 4096;
  const KernelRequest request = default_request("mma_multistage", 4096, 4096, 512);
  const auto read = parse_recording(stored_line(request, m, "sm_90", "0123", "4567"));
  ASSERT_TRUE(read);
  nlohmann::json asked = m, got = read->result;
  asked["device"] = "recorded:NVIDIA H200", asked["standing"] = "recorded";
  EXPECT_EQ(got, asked);
  for (const auto& [name, value] : asked.items())
    EXPECT_TRUE(!value.is_null() || name == "counted") << name << " has no figure in this test";
  // What follows from it is written, too, as bench writes it.
  const auto line = nlohmann::json::parse(stored_line(request, m, "sm_90", "0123", "4567"));
  EXPECT_DOUBLE_EQ(line.at("of_library").get<double>(), 470.5 / 720);
  EXPECT_DOUBLE_EQ(line.at("tflops_per_ghz").get<double>(), 470.5 / 1.755);
}

// Nothing measured is null, in a file as in memory.
TEST(ResultStore, WhatWasNotMeasuredIsNotThere) {
  const MeasureResult m = measured(470.5);
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  const auto read = parse_recording(stored_line(request, m, "", "", ""));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->result.hot_tflops);
  EXPECT_FALSE(read->result.power_w);
  EXPECT_FALSE(read->result.library);
  EXPECT_EQ(read->result.throttle, "");
  EXPECT_EQ(read->result.dropped, 0);
  EXPECT_TRUE(read->result.cold);
}

TEST(ResultStore, ACutLineCostsThatLineOnly) {
  const TemporaryFolder folder;
  const std::string file = store_file(folder.path() + "/results", "NVIDIA H200");
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  KernelRequest other = request;
  other.tile.block_n = 16;
  ASSERT_EQ(append_line(file, line(request, 1)), "");
  const std::string whole = line(other, 2);
  write_text(file, file_text(file) + whole.substr(0, whole.size() / 2));  // a full disk
  EXPECT_EQ(known_results(query_of(request, folder.path() + "/results"), {}).size(), 1u);
  ASSERT_EQ(append_line(file, whole), "");
  const auto known = known_results(query_of(request, folder.path() + "/results"), {});
  ASSERT_EQ(known.size(), 2u) << file_text(file);
  int skipped = 0;
  read_recording_file(file, &skipped);
  EXPECT_EQ(skipped, 1);
}

TEST(ResultStore, WritersAtTheSameTimeLoseNothing) {
  const TemporaryFolder folder;
  const std::string file = store_file(folder.path(), "NVIDIA H200");
  std::vector<std::thread> writers;
  constexpr int kWriters = 4, kLines = 50;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&file, w] {
      for (int i = 0; i < kLines; ++i) {
        KernelRequest request = default_request("naive", 64 + w, 64 + i, 64);
        EXPECT_EQ(append_line(file, line(request, 1)), "");
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  int skipped = 0;
  EXPECT_EQ(read_recording_file(file, &skipped).size(), size_t{kWriters * kLines});
  EXPECT_EQ(skipped, 0);
}

TEST(ResultStore, AFolderThatCannotBeWrittenIsASentence) {
  const std::string sentence = append_line("/proc/nowhere/results/card.jsonl", "{}");
  EXPECT_NE(sentence.find("The result is not kept: /proc/nowhere/results/card.jsonl cannot be "),
            std::string::npos)
      << sentence;
}

TEST(KnownResults, TheNewestOfATileCountsAndAnotherTextIsOlder) {
  const TemporaryFolder folder;
  const std::string file = store_file(folder.path(), "NVIDIA H200");
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  append_line(file, line(request, 1));
  append_line(file, line(request, 2));
  auto known = known_results(query_of(request, folder.path()), {});
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].tflops, 2);
  EXPECT_TRUE(known[0].measured);
  EXPECT_FALSE(known[0].older);
  // What ran later with another text is not the kernel that runs now.
  append_line(file, stored_line(request, measured(3), "sm_90", "0123", "another text"));
  known = known_results(query_of(request, folder.path()), {});
  EXPECT_EQ(known[0].tflops, 2);
  // With an own kernel it is the other way round: what was measured of the built-in one is older.
  std::filesystem::create_directories(folder.path() + "/kernels");
  write_text(folder.path() + "/kernels/01_naive.cuh",
             file_text(TILESCOPE_SOURCE_DIR "/kernels/01_naive.cuh") + "\n// mine\n");
  ResultsQuery query = query_of(request, folder.path());
  query.kernel_dir = folder.path() + "/kernels";
  known = known_results(query, {});
  ASSERT_EQ(known.size(), 1u);
  EXPECT_TRUE(known[0].older);
  EXPECT_NE(source_of(request), source_of(request, query.kernel_dir));
}

// Of a card that is not there any more.
TEST(OwnResults, AreListedByCardAndFoundAsTheListHasThem) {
  const TemporaryFolder folder;
  EXPECT_TRUE(own_cards(folder.path()).empty());
  EXPECT_TRUE(own_cards("/nowhere").empty());
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  const auto find = [&](const KernelRequest& asked, const char* card = "NVIDIA H200") {
    const auto found = own_result(folder.path(), card, asked, "");
    return found ? found->result.tflops.value_or(0) : 0;
  };
  EXPECT_EQ(find(request), 0);
  const std::string file = store_file(folder.path(), "NVIDIA H200");
  append_line(file, line(request, 1));
  append_line(file, line(request, 2));
  append_line(file, stored_line(request, measured(3), "sm_90", "0123", "another text"));
  write_text(folder.path() + "/notes.txt", line(request, 4));
  EXPECT_EQ(find(request), 2) << "the newest of the present text, as known_results() has it";
  EXPECT_EQ(known_results(query_of(request, folder.path()), {})[0].tflops, 2);
  EXPECT_EQ(own_result(folder.path(), "NVIDIA H200", request, "")->result.standing, "recorded");
  KernelRequest other = request;
  other.problem.beta = 1;
  EXPECT_EQ(find(other), 0);
  EXPECT_EQ(find(request, "NVIDIA A100"), 0);
  const auto cards = own_cards(folder.path());
  ASSERT_EQ(cards.size(), 1u);
  EXPECT_EQ(cards[0].name, "NVIDIA H200");
  EXPECT_EQ(cards[0].date, "2026-11-22");
  EXPECT_EQ(cards[0].count, 3);
}

TEST(KnownResults, OfAnotherCardProblemOrGridAreLeftOut) {
  const TemporaryFolder folder;
  const KernelRequest request = default_request("mma_stream_k", 4096, 4096, 4096);
  const std::string text = line(request, 400);
  write_text(folder.path() + "/h200.json", text + "\n");
  const std::vector<std::string> recordings = {folder.path()};
  ResultsQuery query = query_of(request, "");
  auto known = known_results(query, recordings);
  ASSERT_EQ(known.size(), 1u);
  EXPECT_FALSE(known[0].measured) << "of the same name, but not on this machine";
  query.name = "NVIDIA H200 NVL";
  EXPECT_TRUE(known_results(query, recordings).empty());
  query.name = "H200";
  EXPECT_TRUE(known_results(query, recordings).empty()) << "part of a name is another name";
  query.name = "NVIDIA H200", query.sms = 60;
  EXPECT_TRUE(known_results(query, recordings).empty()) << "its grid is another";
  query.sms = request.sms, query.problem.k = 2048;
  EXPECT_TRUE(known_results(query, recordings).empty());
  query.problem.k = 4096, query.problem.beta = 1;
  EXPECT_TRUE(known_results(query, recordings).empty());
}

TEST(KnownResults, AnOwnKernelHasNoRecordings) {
  const TemporaryFolder folder;
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  write_text(folder.path() + "/h200.json", line(request, 1) + "\n");
  ResultsQuery query = query_of(request, "");
  query.kernel_dir = folder.path() + "/own";
  std::filesystem::create_directories(query.kernel_dir);
  EXPECT_EQ(known_results(query, {folder.path()}).size(), 1u) << "nothing of it is replaced";
  write_text(query.kernel_dir + "/01_naive.cuh",
             file_text(TILESCOPE_SOURCE_DIR "/kernels/01_naive.cuh") + "\n// mine\n");
  EXPECT_TRUE(known_results(query, {folder.path()}).empty());
}

TEST(KnownResults, WhatWasMeasuredHereStandsBeforeWhatWasRecorded) {
  const TemporaryFolder folder;
  const KernelRequest request = default_request("naive", 1024, 1024, 1024);
  std::filesystem::create_directories(folder.path() + "/recordings");
  std::string newer = line(request, 9);
  newer.replace(newer.find("2026-11-22"), 10, "2027-01-01");
  write_text(folder.path() + "/recordings/h200.json", newer + "\n");
  append_line(store_file(folder.path(), "NVIDIA H200"), line(request, 2));
  const auto known =
      known_results(query_of(request, folder.path()), {folder.path() + "/recordings"});
  ASSERT_EQ(known.size(), 1u);
  EXPECT_TRUE(known[0].measured);
  EXPECT_EQ(known[0].tflops, 2);
}

}  // namespace
}  // namespace tilescope::worker
