// bench --counters and the worker's "counters" through the real processes, with a stand-in for the
// card and one for ncu (tests/fixtures/tools/fake_ncu.sh), which launches the kernel as ncu does.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/model/names.h"
#include "kernels/registry.h"
#include "tests/driver/card.h"
#include "worker/messages/counters.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// The card with an ncu: `way` is what goes wrong with it.
class CountedCard {
 public:
  explicit CountedCard(const char* way = "") {
    folder_ = fs::path(scratch_folder()) / "ncu";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    setenv("TILESCOPE_NCU", TILESCOPE_SOURCE_DIR "/tests/fixtures/tools/fake_ncu.sh", 1);
    setenv("FAKE_NCU", way, 1);
    setenv("FAKE_NCU_STATE", folder_.c_str(), 1);
  }
  ~CountedCard() {
    for (const char* name : {"TILESCOPE_NCU", "FAKE_NCU", "FAKE_NCU_STATE"}) unsetenv(name);
  }
  /// One line per run of it.
  std::vector<std::string> runs() const {
    std::vector<std::string> all;
    std::ifstream in(folder_ / "arguments");
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  std::vector<int> pids() const {
    std::vector<int> all;
    std::ifstream in(folder_ / "pids");
    for (int pid; in >> pid;) all.push_back(pid);
    return all;
  }

 private:
  Card card_;
  fs::path folder_;
};

CliResult count(const std::string& kernel = "naive") {
  return bench({"--counters", "--device", "cuda:0", "--kernel", kernel, "--size", "64"});
}

TEST(Counters, StandBesideTheMeasurement) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card;
  const CliResult result = count();
  ASSERT_EQ(result.code, 0) << result.err;
  const json one = result.json()[0];
  EXPECT_GT(one["tflops"], 0);
  EXPECT_EQ(one["counters"]["dram__bytes_read.sum"], 32768);
  const json& measured = one["bytes"]["measured"];
  EXPECT_EQ(measured["dram"], json({{"read", 32768}, {"write", 4096}}));
  EXPECT_EQ(measured["l2"]["read"], 32 << 20);
  EXPECT_EQ(measured["l1"]["write_sectors"], 0) << "zero was measured";
  EXPECT_TRUE(measured["shared"]["copy_wavefronts"].is_null()) << "n/a was not";
  EXPECT_TRUE(one["bytes"]["counted"].is_object());
  ASSERT_EQ(card.runs().size(), 1u);
  for (const char* part : {"--clock-control none", "--cache-control all", "--launch-count 1",
                           "--csv", "launch --device cuda:0", "--kernel naive --size 64x64x64"}) {
    EXPECT_NE(card.runs()[0].find(part), std::string::npos) << part << "\n" << card.runs()[0];
  }
}

TEST(Counters, AreRecordedWithTheResult) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card;
  const CliResult result = count();
  ASSERT_EQ(result.code, 0) << result.err;
  const json one = result.json()[0];
  const fs::path folder = fs::path(scratch_folder()) / "recordings";
  fs::create_directories(folder);
  std::ofstream(folder / "r.json") << one.dump() << "\n";
  setenv("TILESCOPE_RECORDINGS", folder.c_str(), 1);
  const CliResult again =
      bench({"--counters", "--device", "recorded", "--kernel", "naive", "--size", "64"});
  unsetenv("TILESCOPE_RECORDINGS");
  fs::remove_all(folder);
  ASSERT_EQ(again.code, 0) << again.err;
  const json recorded = again.json()[0];
  EXPECT_EQ(recorded["standing"], "recorded");
  EXPECT_EQ(recorded["counters"], one["counters"]);
  EXPECT_EQ(recorded["counters_by"], "ncu 2025.3.1");
  EXPECT_EQ(recorded["bytes"]["measured"], one["bytes"]["measured"]);
  EXPECT_EQ(card.runs().size(), 1u) << "nothing was counted again";
}

TEST(Counters, AreNotReadUnlessAskedFor) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card;
  const CliResult result = bench({"--device", "cuda:0", "--kernel", "naive", "--size", "64"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_FALSE(result.json()[0].contains("counters"));
  EXPECT_TRUE(card.runs().empty());
}

// The position reaches the launched program through a command line.
TEST(Counters, OfAllKernelsInAllOrdersCome) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card;
  worker::RealWorker worker;
  for (const KernelEntry& kernel : kernel_table()) {
    if (kernel.info.only_sm != 0) continue;  // this card has not its instructions
    worker::KernelRequest r{kernel.info.id, kernel.sliders.defaults(),
                            default_problem(kernel.info)};
    r.problem.m = 72, r.problem.n = 40, r.problem.k = 136;
    r.problem.alpha = 0.3f, r.problem.beta = 0.5f;
    r.problem.order_c = Order::column_major;
    r.problem.lda = 200;
    const worker::Reply reply = worker.call("cuda:0", "counters", r);
    ASSERT_TRUE(reply.ok) << kernel.info.id << ": " << reply.error.message;
    EXPECT_EQ(reply.result["counters"]["dram__bytes_read.sum"], 32768) << kernel.info.id;
    EXPECT_NE(card.runs().back().find(model::tile_text(r.tile, kernel.sliders)), std::string::npos);
    EXPECT_NE(card.runs().back().find("--c col --alpha 0.3 --beta 0.5 --lda 200"),
              std::string::npos)
        << card.runs().back();
  }
}

TEST(Counters, NamesOfOtherVersionsAreFound) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card("new-names");
  const CliResult result = count();
  ASSERT_EQ(result.code, 0) << result.err;
  const json one = result.json()[0];
  EXPECT_EQ(one["counters"]["dram__bytes_read.sum"], 32768) << "by its new name";
  EXPECT_FALSE(one["counters"].contains("dram__bytes_op_read.sum"));
  EXPECT_FALSE(
      one["counters"].contains("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"));
  EXPECT_EQ(card.runs().size(), 3u);
}

// The measurement is there, and the sentence says why the counters are not.
TEST(Counters, ARefusalHasItsCauseAndFix) {
  TILESCOPE_NEED_NVRTC();
  struct Way {
    const char* name;
    int code;
    const char* part;
  };
  for (const Way& way :
       {Way{"no-permission", 3, "load the driver with NVreg_RestrictProfilingToAdminUsers=0"},
        Way{"other-driver", 3, "ncu 2025.3.1 does not fit this driver"},
        Way{"held", 3, "Another tool holds the card's counters"}, Way{"old", 3, "ncu 2021.3.1"},
        Way{"no-version", 3, "ended with code 1 when asked for its version"},
        Way{"garbage", 4, "ended with code 0 and counted nothing"},
        Way{"flood", 4, "wrote more than 8 MB"}, Way{"signal", 4, "was ended by signal 11"},
        Way{"silent", 4, "counted nothing"}}) {
    const CountedCard card(way.name);
    const CliResult result = count();
    EXPECT_EQ(result.code, way.code) << way.name << result.err;
    EXPECT_NE(result.err.find(way.part), std::string::npos) << way.name << ": " << result.err;
    const json one = result.json()[0];
    EXPECT_GT(one["tflops"], 0) << way.name;
    EXPECT_TRUE(one["counters"].is_null()) << way.name;
    EXPECT_TRUE(one["bytes"]["measured"].is_null()) << way.name;
  }
}

TEST(Counters, WithoutNcuTheFixIsNamed) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card;
  setenv("TILESCOPE_NCU", "/nowhere/ncu", 1);
  const CliResult result = count();
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("was not found in TILESCOPE_NCU=/nowhere/ncu: install Nsight Compute"),
            std::string::npos)
      << result.err;
}

TEST(Counters, AWrongKernelHasNone) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card;
  const std::string kernels = wrong_kernels();
  const CliResult result = bench({"--counters", "--device", "cuda:0", "--kernel", "naive", "--size",
                                  "64", "--kernel-dir", kernels});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.json()[0]["counters"].is_null());
  EXPECT_TRUE(card.runs().empty());
  worker::RealWorker worker(kernels);
  const worker::Reply reply = worker.call("cuda:0", "counters", worker::request("naive", 64));
  EXPECT_FALSE(reply.ok);
  EXPECT_NE(reply.error.message.find("naive was not counted: wrong result of naive"),
            std::string::npos)
      << reply.error.message;
}

TEST(Counters, WithoutACardItsSentenceComesThrough) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card;
  setenv("TILESCOPE_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  worker::RealWorker worker;
  const worker::Reply reply = worker.call("cuda:0", "counters", worker::request("naive", 64));
  EXPECT_FALSE(reply.ok);
  EXPECT_EQ(reply.error.exit_code, 3);
  EXPECT_NE(reply.error.message.find("not counted: cuda:0 is not available"), std::string::npos)
      << reply.error.message;
}

TEST(Counters, OfTheEmulatorThereAreNone) {
  expect_sentence({"bench", "--counters", "--size", "64"}, 2, "--counters are a card's own");
}

bool all_end(const std::vector<int>& pids) {
  return worker::eventually([&] {
    return std::none_of(pids.begin(), pids.end(), [](int pid) { return worker::alive(pid); });
  });
}

TEST(Counters, WhatNeverEndsIsStopped) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card("forever");
  worker::RealWorker worker;
  json params = worker::request("naive", 64);
  params["seconds"] = 1;
  const worker::Reply reply = worker.call("cuda:0", "counters", params);
  EXPECT_FALSE(reply.ok);
  EXPECT_EQ(reply.error.exit_code, 4);
  EXPECT_NE(reply.error.message.find("Counting naive was stopped after 1 s"), std::string::npos)
      << reply.error.message;
  ASSERT_EQ(card.pids().size(), 2u);
  EXPECT_TRUE(all_end(card.pids()));
}

TEST(Counters, StopEndsAllOfIt) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card("forever");
  worker::RealWorker worker;
  const worker::Asked asked = worker.ask("cuda:0", "counters", worker::request("naive", 64));
  ASSERT_TRUE(worker::eventually([&] {
    worker.client().poll();
    return card.pids().size() == 2;
  }));
  worker.client().cancel(asked.id);
  ASSERT_TRUE(worker.client().wait(asked.id, worker::kLimitMs));
  EXPECT_EQ(asked.reply->error.code, -32800);
  EXPECT_TRUE(all_end(card.pids()));
  // The next one is counted as if nothing had been.
  setenv("FAKE_NCU", "", 1);
  worker::RealWorker fresh;
  EXPECT_TRUE(fresh.call("cuda:0", "counters", worker::request("naive", 64)).ok);
}

TEST(Counters, NothingOfItOutlivesTheWorker) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card("forever");
  {
    worker::RealWorker worker;
    worker.ask("cuda:0", "counters", worker::request("naive", 64));
    ASSERT_TRUE(worker::eventually([&] {
      worker.client().poll();
      return card.pids().size() == 2;
    }));
    kill(worker.supervisor(), SIGKILL);
  }
  EXPECT_TRUE(all_end(card.pids()));
}

// While a launch is counted nothing is timed on the same card, and the other way round.
TEST(Counters, TakeTurnsWithTheTiming) {
  TILESCOPE_NEED_NVRTC();
  const CountedCard card("forever");
  worker::RealWorker worker;
  const worker::Asked counting = worker.ask("cuda:0", "counters", worker::request("naive", 64));
  ASSERT_TRUE(worker::eventually([&] {
    worker.client().poll();
    return card.pids().size() == 2;
  }));
  json params = worker::request("naive", 64);
  params["library"] = false;
  params["seconds"] = 0.01;
  const worker::Asked timing = worker.ask("cuda:0", "measure", params);
  const worker::Asked dropped = worker.ask("cuda:0", "measure", params);
  worker.client().cancel(dropped.id);
  ASSERT_TRUE(worker.client().wait(dropped.id, worker::kLimitMs)) << "it has not to wait its turn";
  EXPECT_EQ(dropped.reply->error.code, -32800);
  EXPECT_TRUE(worker.children("cuda:0").empty()) << "nothing of it has begun";
  EXPECT_FALSE(timing.reply->ended);
  worker.client().cancel(counting.id);
  ASSERT_TRUE(worker.client().wait(timing.id, worker::kLimitMs));
  EXPECT_TRUE(timing.reply->ok) << timing.reply->error.message;
  EXPECT_TRUE(counting.reply->ended);
}

}  // namespace
}  // namespace tilescope
