// What the window asks the worker for, and what it makes of the answers.
#include "app/live/live.h"
#include "app/state/expectation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "app/state/history.h"
#include "app/state/known_results.h"
#include "tests/live/fake_window.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;

json recording(const char* revision, const char* arch = "sm_90") {
  worker::MeasureResult m;
  m.standing = "recorded", m.device_name = "NVIDIA H200", m.date = "2026-11-20";
  m.tflops = 456, m.time_us = 300, m.final = true;
  return {{"found", true}, {"result", m}, {"arch", arch}, {"revision", revision}};
}
const json kRecordings = {{{"name", "NVIDIA H200"}, {"date", "2026-11-20"}, {"count", 7}}};

TEST(Devices, TheFirstCardIsMeasuredOnWhenItIsKnown) {
  FakeWindow w;
  w.client->devices = json::array({card("cuda:0", "NVIDIA A100 SXM 80GB", 80)});
  w.client->devices[0]["limits"]["shared_per_block"] = 166912;
  w.client->recordings = kRecordings;
  w.client->recorded = recording("now");
  w.run("devices");  // which take long: a driver starts
  EXPECT_TRUE(w.state.results.emulated);
  EXPECT_EQ(w.client->find("recorded"), nullptr) << "nor shown meanwhile";
  EXPECT_FALSE(w.state.results.measured);
  EXPECT_TRUE(w.live->busy(w.state));
  w.client->answer_well(w.client->find("devices")->id);
  w.frame();
  EXPECT_EQ(w.state.device, "cuda:0");
  EXPECT_STREQ(w.state.gpu.name, "NVIDIA A100 SXM 80GB");
  EXPECT_EQ(w.state.limits.shared_per_block, 166912) << "of the card, not of the table";
  w.run();
  ASSERT_TRUE(w.state.results.measured);
  EXPECT_EQ(w.state.results.measured->device, "cuda:0");
  EXPECT_EQ(w.state.results.compile->arch, "sm_80") << "the picture is of what the card runs";
  EXPECT_EQ(point_of(w.state).standing, Standing::measured);
  EXPECT_EQ(w.state.view.device, "") << "not chosen by hand";
}

TEST(Devices, WithoutACardTheRecordingsAreShown) {
  FakeWindow w;
  w.client->devices = json::array({card("emulator", "Emulator")});
  w.client->recordings = kRecordings;
  w.client->recorded = recording("now");
  w.run();
  EXPECT_EQ(w.state.device, "recorded:NVIDIA H200");
  EXPECT_EQ(point_of(w.state).standing, Standing::recorded);
  EXPECT_FALSE(point_of(w.state).older_kernel);
  choose_device(w.state, kEmulator);
  w.run();
  EXPECT_EQ(point_of(w.state).standing, Standing::modelled) << "the emulator measures nothing";
  EXPECT_FALSE(w.state.results.measured);
}

TEST(Devices, WhatACardMeasuredHereIsOfferedWhenItIsGone) {
  const std::string own = "own:NVIDIA H200";
  const auto offers = [&](const AppState& state) {
    return std::ranges::any_of(device_choices(state),
                               [&](const DeviceChoice& c) { return c.id == own; });
  };
  FakeWindow w;
  w.state.store = "/tmp/results";
  w.client->recordings =
      json::array({kRecordings[0],
                   {{"name", "NVIDIA H200"}, {"date", "2026-11-21"}, {"count", 3}, {"own", true}}});
  w.client->recorded = recording("now");
  w.run();
  EXPECT_EQ(w.state.device, "recorded:NVIDIA H200");
  ASSERT_TRUE(offers(w.state));
  worker::KnownResult known;
  known.request = request_of(w.state.edit, w.state.limits.sm_count);
  known.measured = true, known.date = "2026-11-21", known.tflops = 400, known.time_us = 1;
  w.client->results = json::array({known});
  choose_device(w.state, own);
  EXPECT_EQ(device_title(w.state, own), "measured here on NVIDIA H200");
  EXPECT_STREQ(w.state.gpu.name, "NVIDIA H200");
  bool asked_one = false, asked_all = false;
  w.run_but([&](const FakeClient::Call& call) {
    if (call.method == "recorded") asked_one = call.params.value("store", "") == "/tmp/results";
    if (call.method == "results") {
      asked_all = call.params.value("store", "") == "/tmp/results" &&
                  !call.params.value("recordings", true);
    }
    return false;
  });
  EXPECT_TRUE(asked_one);
  EXPECT_TRUE(asked_all) << "nobody else's";
  EXPECT_EQ(point_of(w.state).standing, Standing::recorded) << "no card measures now";
  ASSERT_EQ(known_results(w.state).size(), 1u);
  EXPECT_EQ(standing_of(known_results(w.state)[0]), Standing::recorded);
  EXPECT_TRUE(known_results(w.state)[0].judged) << "by its text";
  // The card is there again: it shows them itself.
  worker::DeviceInfo h200;
  h200.id = "cuda:0", h200.name = "NVIDIA H200";
  devices_found(w.state, {h200});
  EXPECT_FALSE(offers(w.state));
  EXPECT_EQ(w.state.device, "cuda:0");
  EXPECT_EQ(w.state.device_notice, "");
  h200.available = false, h200.why_not = "It is lost.";
  devices_found(w.state, {h200});
  EXPECT_TRUE(offers(w.state));
  EXPECT_EQ(w.state.device, own) << "as chosen";
}

TEST(Devices, OneThatIsGoneFallsBackWithASentence) {
  FakeWindow w;
  w.state.view.device = "cuda:1", w.state.view.device_title = "NVIDIA H200 (cuda:1)";
  w.client->devices = json::array({card("cuda:0", "NVIDIA A100 SXM 80GB", 80)});
  w.run();
  EXPECT_EQ(w.state.device, "cuda:0");
  EXPECT_EQ(w.state.device_notice,
            "NVIDIA H200 (cuda:1) is not there any more; measuring on NVIDIA A100 SXM 80GB "
            "(cuda:0).");
  EXPECT_EQ(w.state.view.device, "cuda:1") << "still the wish, should it come back";
  choose_device(w.state, "cuda:0");
  EXPECT_EQ(w.state.device_notice, "");
}

TEST(Devices, ACardThatIsLostWhileMeasuringIsLeft) {
  FakeWindow w;
  w.client->devices = json::array({card("cuda:0", "NVIDIA H200")});
  w.client->recordings = kRecordings;
  w.client->recorded = recording("now");
  w.run("measure");
  const FakeClient::Call* measuring = w.client->find("measure");
  ASSERT_NE(measuring, nullptr);
  EXPECT_EQ(measuring->params.at("time_limit"), 10);
  w.client->devices[0]["available"] = false;
  w.client->devices[0]["why_not"] = "cuda:0 takes no work.";
  w.client->fail(measuring->id, {-32000, 4, "The GPU does not answer.", {{"needs_reset", true}}});
  w.run();
  EXPECT_EQ(w.state.device, "recorded:NVIDIA H200");
  EXPECT_NE(w.state.device_notice.find("showing what was recorded on NVIDIA H200. cuda:0 takes no"),
            std::string::npos)
      << w.state.device_notice;
  EXPECT_EQ(point_of(w.state).standing, Standing::recorded);
}

TEST(Recordings, OfAnOlderKernelAreLabelled) {
  for (const char* arch : {"sm_90", "sm_80"}) {  // of which the present PTX is, and is not
    FakeWindow w;
    w.client->recordings = kRecordings;
    w.client->recorded = recording("before", arch);
    w.run();
    ASSERT_TRUE(w.state.results.measured);
    EXPECT_TRUE(point_of(w.state).older_kernel);
    ASSERT_FALSE(w.state.history.empty());
    EXPECT_TRUE(w.state.history.back().older_kernel);
    w.client->recorded = recording("now", arch);
    w.live->run_again(w.state);
    w.run();
    EXPECT_FALSE(point_of(w.state).older_kernel);
  }
}

TEST(Recordings, AreNotOfOnesOwnKernels) {
  FakeWindow w;
  w.state.kernel_dir = "/own";
  w.client->recordings = kRecordings;
  w.client->recorded = recording("before");
  w.run();
  EXPECT_EQ(w.state.results.stage, Stage::done);
  EXPECT_FALSE(w.state.results.measured);
}

TEST(Checks, ARightResultWithARaceIsNoVerifiedPoint) {
  FakeWindow w;
  w.run("emulate");
  worker::EmulateResult racy;
  racy.verified = worker::Verification{1e-7, 1e-5, true};
  racy.findings.resize(1);
  racy.findings[0].remark = true;
  racy.checks.findings.resize(1);
  racy.checks.findings[0].kind = "copy_pending", racy.checks.findings[0].line = 200;
  w.client->answer(w.client->find("emulate")->id, racy);
  w.run();
  ASSERT_EQ(w.state.results.findings.size(), 2u);
  EXPECT_EQ(w.state.results.findings[0].line, 200) << "errors before remarks";
  EXPECT_FALSE(point_of(w.state).verified);
  w.live->check_all(w.state);
  w.run();
  EXPECT_TRUE(w.state.results.emulated->checks.whole_k);
  EXPECT_EQ(w.state.results.stage, Stage::done);
}

TEST(Live, AnAnswerThatIsNotUnderstoodEndsTheWorkerAndNotTheWindow) {
  for (const char* method : {"compile", "trace", "emulate", "devices", "proofs"}) {
    FakeWindow w;
    w.run(method);
    ASSERT_NE(w.client->find(method), nullptr) << method;
    w.client->answer(w.client->find(method)->id,
                     {{"ptx", 7}, {"devices", "none"}, {"proofs", {{"x", 1}}}, {"events", 1}});
    EXPECT_NO_THROW(w.frame()) << method;
    EXPECT_EQ(w.client->restarts(), 1) << method;
    EXPECT_NE(w.state.results.error.find("is not understood"), std::string::npos);
    EXPECT_NE(w.state.results.error.find("it was restarted"), std::string::npos);
  }
}

TEST(Live, ARestartByHandLeavesNoSentenceBehind) {
  FakeWindow w;
  w.run("trace");
  w.client->fail(w.client->find("trace")->id, {-32001, 4, "The emulator ended.", {}});
  w.frame();
  EXPECT_EQ(w.state.results.error, "The emulator ended.");
  w.live->restart_worker(w.state);
  w.run();
  EXPECT_EQ(w.client->restarts(), 1);
  EXPECT_EQ(w.state.results.error, "");
  EXPECT_EQ(w.state.results.stage, Stage::done);
  w.live->run_again(w.state);
  w.run("trace");
  w.live->restart_worker(w.state);  // in the middle of a call, which ends with a sentence, too
  w.run();
  EXPECT_EQ(w.state.results.error, "");
  EXPECT_EQ(w.state.results.stage, Stage::done);
}

TEST(Live, WhoeverWaitsIsWokenByAnAnswer) {
  FakeWindow w;
  int woken = 0;
  take_l2(w.state, l2_question(w.state), {});  // else its simulation wakes the window, too
  w.live->on_activity([&] { ++woken; });
  w.frame();
  w.client->answer_well(w.client->open().front().id);
  EXPECT_EQ(woken, 1);
}

TEST(Live, StopReachesTheCallThatALateAnswerCameBefore) {
  FakeWindow w;
  w.run("compile");
  const uint64_t late = w.client->find("compile")->id;
  set_tile_field(w.state, TileFieldId::stages, 4);
  w.frame(), w.frame();
  const uint64_t newer = w.client->find("compile")->id;
  ASSERT_NE(newer, late);
  w.client->answer_well(late);
  w.frame();
  EXPECT_TRUE(w.live->busy(w.state));
  w.live->stop(w.state);
  EXPECT_EQ(w.client->find("compile"), nullptr) << "cancelled";
  EXPECT_FALSE(w.state.results.compile);
}

}  // namespace
}  // namespace tilescope
