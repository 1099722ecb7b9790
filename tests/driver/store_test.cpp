// Own results through the real processes: kept whatever dies, known again at the next start, and
// nobody else's.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "tests/driver/card.h"

namespace tilescope {
namespace {

using nlohmann::json;
using worker::RealWorker;
using worker::Reply;
using worker::request;

/// An empty folder of own results.
std::string fresh_store() {
  const std::string folder = scratch_folder() + "/results";
  std::filesystem::remove_all(folder);
  return folder;
}

json stored(const std::string& kernel, const std::string& store) {
  json params = request(kernel, 64);
  params["store"] = store;
  params["seconds"] = 0.01;
  return params;
}

json results(RealWorker& worker, const std::string& store, const std::string& name) {
  const Reply reply = worker.call(
      "store", "results",
      {{"problem", request("naive", 64)["problem"]}, {"name", name}, {"store", store}, {"sms", 2}});
  EXPECT_TRUE(reply.ok) << reply.error.message;
  return reply.ok ? reply.result.at("results") : json::array();
}

TEST(StoreOnCard, AResultIsKnownAtTheNextStartAndOlderWithAnotherText) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string store = fresh_store();
  double tflops = 0;
  {
    RealWorker worker;
    const Reply reply = worker.call("cuda:0", "measure", stored("naive", store));
    ASSERT_TRUE(reply.ok) << reply.error.message;
    EXPECT_EQ(reply.result.at("remarks").size(), 2u)
        << "no library, no NVML: " << reply.result.at("remarks").dump();
    tflops = reply.result.at("tflops");
  }
  RealWorker worker;
  const json known = results(worker, store, "Emulated GPU");
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].at("tflops"), tflops);
  EXPECT_EQ(known[0].at("measured"), true);
  EXPECT_FALSE(known[0].contains("older"));
  EXPECT_EQ(known[0].at("revision").get<std::string>().size(), 32u);
  EXPECT_EQ(known[0].at("request").at("kernel"), "naive");
  EXPECT_TRUE(results(worker, store, "Emulated GPU 2").empty()) << "another card's are not its";
  EXPECT_TRUE(results(worker, store, "NVIDIA H200").empty());
  EXPECT_TRUE(results(worker, "", "Emulated GPU").empty());
  // Where the card is gone they are offered as recordings are.
  const Reply cards = worker.call("store", "recordings", {{"store", store}});
  ASSERT_TRUE(cards.ok) << cards.error.message;
  int own = 0, least = 1 << 30;
  for (const json& card : cards.result.at("recordings")) {
    if (!card.value("own", false)) {
      EXPECT_EQ(own, 0) << "own ones stand last";
      EXPECT_LE(card.at("count"), least) << "the one that most is known of stands first";
      least = card.at("count");
      continue;
    }
    ++own;
    EXPECT_EQ(card.at("name"), "Emulated GPU");
    EXPECT_EQ(card.at("count"), 1);
  }
  EXPECT_EQ(own, 1);
  json asked = request("naive", 64);
  asked["name"] = "Emulated GPU", asked["store"] = store;
  const Reply recorded = worker.call("store", "recorded", asked);
  ASSERT_TRUE(recorded.ok) << recorded.error.message;
  EXPECT_EQ(recorded.result.at("found"), true);
  EXPECT_EQ(recorded.result.at("result").at("tflops"), tflops);
  EXPECT_EQ(recorded.result.at("result").at("standing"), "recorded");
  RealWorker mine(kernels_with("int k = 0;", "int k = 0 + 0;"));
  const json older = results(mine, store, "Emulated GPU");
  ASSERT_EQ(older.size(), 1u);
  EXPECT_EQ(older[0].at("older"), true) << "its text is another one";
}

TEST(StoreOnCard, WhatIsStoredSurvivesAKillInTheMiddle) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_FAULT", "hang:02_coalesced"}};
  const std::string store = fresh_store();
  {
    RealWorker worker;
    ASSERT_TRUE(worker.call("cuda:0", "measure", stored("naive", store)).ok);
    const worker::Asked hung = worker.ask("cuda:0", "measure", stored("coalesced", store));
    ASSERT_TRUE(worker::hangs(worker, card, hung));
    kill(worker.supervisor(), SIGKILL);
  }
  RealWorker worker;
  EXPECT_EQ(results(worker, store, "Emulated GPU").size(), 1u);
  // What an older version left half written beside it costs that line only.
  std::ofstream(store + "/Emulated_GPU.jsonl", std::ios::app) << "{\"kernel\": \"nai";
  ASSERT_TRUE(worker.call("cuda:0", "measure", stored("thread_tile_2d", store)).ok);
  EXPECT_EQ(results(worker, store, "Emulated GPU").size(), 2u);
}

// A list of results takes milliseconds, an emulation minutes.
TEST(StoreOnCard, ResultsAreAnsweredWhileAnEmulationRuns) {
  TILESCOPE_NEED_NVRTC();
  RealWorker worker;
  json params = request("naive", 4096);
  params["scope"] = "whole";
  const worker::Asked emulation = worker.ask("emulator", "emulate", params);
  ASSERT_TRUE(worker::eventually([&] {
    worker.client().poll();
    return !emulation.reply->progress.empty() || emulation.reply->ended;
  }));
  ASSERT_FALSE(emulation.reply->ended) << emulation.reply->error.message;
  const std::string store = fresh_store();
  EXPECT_TRUE(results(worker, store, "Emulated GPU").empty());
  const Reply cards = worker.call("store", "recordings", {{"store", store}});
  ASSERT_TRUE(cards.ok) << cards.error.message;
  EXPECT_FALSE(cards.result.at("recordings").empty()) << "those that come with the program";
  EXPECT_FALSE(worker.call("store", "proofs").result.at("proofs").empty());
  EXPECT_FALSE(emulation.reply->ended) << "it still runs";
  worker.client().cancel(emulation.id);
}

TEST(StoreOnCard, ADamagedStoreIsSaidAndMeasuringGoesOn) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string store = fresh_store();
  std::filesystem::create_directories(store);
  std::ofstream(store + "/store.sqlite") << std::string(8192, 'x');
  RealWorker worker;
  const Reply cards = worker.call("store", "recordings", {{"store", store}});
  ASSERT_TRUE(cards.ok) << cards.error.message;
  EXPECT_NE(cards.result.at("remark").get<std::string>().find("was damaged"), std::string::npos);
  EXPECT_FALSE(cards.result.at("recordings").empty());
  ASSERT_TRUE(worker.call("cuda:0", "measure", stored("naive", store)).ok);
  EXPECT_EQ(results(worker, store, "Emulated GPU").size(), 1u);
  EXPECT_FALSE(worker.call("store", "recordings", {{"store", store}}).result.contains("remark"));
}

TEST(StoreOnCard, AWrongResultIsNotStored) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string store = fresh_store();
  RealWorker wrong(wrong_kernels());
  const Reply reply = wrong.call("cuda:0", "measure", stored("naive", store));
  ASSERT_TRUE(reply.ok) << reply.error.message;
  EXPECT_EQ(reply.result.at("verified").at("ok"), false);
  EXPECT_TRUE(results(wrong, store, "Emulated GPU").empty());
}

TEST(StoreOnCard, AFolderThatCannotBeWrittenIsARemark) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  RealWorker worker;
  const Reply reply = worker.call("cuda:0", "measure", stored("naive", "/proc/nowhere"));
  ASSERT_TRUE(reply.ok) << "it is measured all the same";
  const auto sentence = reply.result.at("not_kept").get<std::string>();
  EXPECT_EQ(sentence.find("The result is not kept: /proc/nowhere/"), 0u) << sentence;
  EXPECT_NE(reply.result.at("remarks").dump().find(sentence), std::string::npos);
}

}  // namespace
}  // namespace tilescope
