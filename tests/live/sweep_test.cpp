// A sweep in the background: behind the hand on the sliders, over what fails, and to its end.
#include <gtest/gtest.h>

#include "app/features/tune/landscape.h"
#include "app/features/tune/sweep.h"
#include "app/features/tune/tune.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/known_results.h"
#include "tests/live/fake_window.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;

struct SweepWindow : FakeWindow {
  SweepWindow()
      : FakeWindow(json::array({card("cuda:0", "Some card")}),
                   {{{"name", "NVIDIA H200"}, {"date", "2026-11-20"}, {"count", 7}}}) {
    frame_seconds = 0.200;
    state.store = "/tmp/results";
    run();
  }
  static bool is_swept(const FakeClient::Call& call) {
    return call.method == "measure" && call.params.value("priority", "") == "prefetch";
  }
  const FakeClient::Call* swept() const {
    for (const FakeClient::Call& call : client->open()) {
      if (is_swept(call) && !call.cancelled) return &call;
    }
    return nullptr;
  }
  /// Answers everything but the sweep.
  void run() { run_but(is_swept); }
  void start() {
    state.of<Sweeping>().wanted = all_of(landscape_axes(state));
    frame();
  }
  const Sweep& sweep() const { return state.of<Sweeping>().sweep; }
};

TEST(Sweeping, MeasuresEachTileOnceAndShortly) {
  SweepWindow w;
  const Sweep plan = plan_sweep(w.state, all_of(landscape_axes(w.state)));
  EXPECT_EQ(plan.known, 1) << "the present tile";
  w.start();
  std::vector<TileConfig> seen;
  while (const FakeClient::Call* call = w.swept()) {
    EXPECT_LT(call->params.at("seconds").get<double>(), 0.5);
    EXPECT_EQ(call->params.at("store"), "/tmp/results");
    const auto tile = call->params.at("tile").get<TileConfig>();
    EXPECT_EQ(std::count(seen.begin(), seen.end(), tile), 0);
    seen.push_back(tile);
    w.client->answer_well(call->id);
    w.frame();
    ASSERT_LE(seen.size(), plan.cells.size());
  }
  EXPECT_EQ(seen.size(), plan.cells.size());
  EXPECT_FALSE(w.sweep().running);
  EXPECT_EQ(w.sweep().ended, "Measured 7 tiles of mma_multistage; 1 were known.");
  const Landscape land = landscape(w.state);
  EXPECT_EQ(land.count(Standing::measured) + land.illegal(), static_cast<int>(land.cells.size()));
  // Once more: nothing is measured twice.
  w.start();
  EXPECT_EQ(w.swept(), nullptr);
  EXPECT_EQ(w.state.said, "All 8 tiles that can run are measured already.");
}

TEST(Sweeping, WhatIsNotKeptIsSaidAtOnceAndAtTheEnd) {
  SweepWindow w;
  w.start();
  int measured = 0;
  while (const FakeClient::Call* call = w.swept()) {
    worker::MeasureResult m;
    m.standing = "measured", m.device_name = "Some card", m.tflops = 100, m.time_us = 10;
    m.final = true;
    json answer = m;
    if (++measured <= 2) answer["not_kept"] = "The result is not kept: the disk is full.";
    w.client->answer(call->id, answer);
    w.frame();
    if (measured == 1) {
      EXPECT_EQ(w.state.said, "The result is not kept: the disk is full.");
    }
    ASSERT_LE(measured, 100);
  }
  EXPECT_EQ(w.sweep().ended,
            "Measured 7 tiles of mma_multistage; 1 were known. 2 will be gone when the window "
            "closes: The result is not kept: the disk is full.");
}

TEST(Sweeping, TheHandComesFirst) {
  SweepWindow w;
  w.start();
  const FakeClient::Call* call = w.swept();
  ASSERT_NE(call, nullptr);
  const auto tile = call->params.at("tile").get<TileConfig>();
  set_tile_field(w.state, TileFieldId::raster, 4);
  w.frame();
  EXPECT_EQ(w.swept(), nullptr) << "the card is left to the new tile";
  EXPECT_TRUE(w.sweep().running);
  w.run();
  EXPECT_TRUE(w.state.results.measured);
  call = w.swept();
  ASSERT_NE(call, nullptr) << "then it goes on";
  EXPECT_TRUE(call->params.at("tile").get<TileConfig>() == tile) << "where it was";
  EXPECT_EQ(call->params.at("tile").at("raster"), 8) << "its own tiles, not the slider's";
  // A late answer to the call that was dropped is nobody's.
  for (const FakeClient::Call& open : w.client->open()) {
    if (open.cancelled) w.client->answer_well(open.id);
  }
  w.frame();
  EXPECT_EQ(progress_of(w.sweep()).done, 0);
}

TEST(Sweeping, GoesOverWhatFails) {
  SweepWindow w;
  w.start();
  w.client->fail(w.swept()->id, {-32000, 4, "It does not compile.", {}});
  w.frame();
  ASSERT_NE(w.swept(), nullptr);
  worker::MeasureResult wrong;
  wrong.device_name = "Some card", wrong.standing = "measured", wrong.final = true;
  wrong.verified = worker::Verification{0.5, 1e-4, false};
  w.client->answer(w.swept()->id, wrong);
  w.frame();
  const SweepProgress p = progress_of(w.sweep());
  EXPECT_EQ(p.failed, 2);
  EXPECT_EQ(p.done, 0);
  EXPECT_TRUE(w.sweep().running);
  EXPECT_EQ(w.sweep().cells[0].error, "It does not compile.");
  EXPECT_EQ(w.sweep().cells[1].error, "the result is wrong: error 5.00e-01, tolerance 1.0e-04");
  const Landscape land = landscape(w.state);
  EXPECT_EQ(std::ranges::count_if(land.cells, [](auto& c) { return !c.error.empty(); }), 2);
  EXPECT_EQ(land.count(Standing::measured), 1) << "a wrong result has no speed";
}

TEST(Sweeping, ACardThatIsLostEndsItWithOneSentence) {
  SweepWindow w;
  w.start();
  w.client->answer_well(w.swept()->id);
  w.frame();
  const ResultsOf before = results_of(w.state);
  w.client->devices[0]["available"] = false;
  w.client->devices[0]["why_not"] = "cuda:0 takes no work.";
  w.client->fail(w.swept()->id, {-32000, 4, "The GPU does not answer.", {{"needs_reset", true}}});
  w.frame();
  EXPECT_FALSE(w.sweep().running);
  EXPECT_EQ(
      w.sweep().ended,
      "The sweep of mma_multistage ended after 1 of 7 tiles: The GPU does not answer. What was "
      "measured stays.");
  EXPECT_EQ(w.swept(), nullptr);
  w.run();
  EXPECT_EQ(w.state.device, "recorded:NVIDIA H200") << "the devices were asked for again";
  EXPECT_EQ(landscape(w.state).count(Standing::measured), 0) << "it was another card";
  w.client->devices[0]["available"] = true;
  choose_device(w.state, "");
  w.live->restart_worker(w.state);
  w.run();
  ASSERT_EQ(results_of(w.state), before);
  EXPECT_EQ(landscape(w.state).count(Standing::measured), 2) << "what was measured stays";
}

TEST(Sweeping, StopAndWhatItIsOfEndIt) {
  SweepWindow w;
  w.start();
  w.client->answer_well(w.swept()->id);
  w.frame();
  w.live->stop(w.state);  // Escape
  w.frame();
  EXPECT_FALSE(w.sweep().running);
  EXPECT_EQ(w.swept(), nullptr);
  EXPECT_EQ(w.sweep().ended.find("Stopped the sweep of mma_multistage after 1 of 7 tiles"), 0u)
      << w.sweep().ended;
  w.start();
  ASSERT_NE(w.swept(), nullptr);
  EXPECT_EQ(w.sweep().cells.size(), 6u) << "resumed, not begun anew";
  Problem p = w.state.edit.problem;
  p.m = 2048;
  set_problem(w.state, p);
  w.frame();
  EXPECT_FALSE(w.sweep().running);
  EXPECT_EQ(w.sweep().ended,
            "The sweep of mma_multistage ended when the problem changed, after 0 of 6 tiles; what "
            "was measured stays.");
}

TEST(Sweeping, WithoutACardSaysSo) {
  SweepWindow w;
  choose_device(w.state, kEmulator);
  w.run();
  w.start();
  EXPECT_FALSE(w.sweep().running);
  EXPECT_EQ(w.state.said, "A sweep measures on a GPU: choose one at the right of the menu.");
}

TEST(Results, AreAskedAnewForEachProblemAndDeviceOnce) {
  SweepWindow w;
  const auto asked = [&] {
    for (const FakeClient::Call& call : w.client->open()) {
      if (call.method == "results" && !call.cancelled) return call.params;
    }
    return json();
  };
  Problem p = w.state.edit.problem;
  p.m = 2048;
  set_problem(w.state, p);
  w.state.now += 0.010;
  w.live->update(w.state);
  EXPECT_TRUE(asked().is_null()) << "while the slider moves nobody reads files";
  w.frame();
  ASSERT_FALSE(asked().is_null());
  EXPECT_EQ(asked().at("problem").at("m"), 2048);
  EXPECT_EQ(asked().at("name"), "Some card");
  EXPECT_EQ(asked().at("store"), "/tmp/results");
  p.m = 1024;
  set_problem(w.state, p);
  w.frame();
  for (const FakeClient::Call& call : w.client->open())
    EXPECT_TRUE(call.method != "results" || call.cancelled) << "of a problem that is left";
  w.run();
  EXPECT_TRUE(asked().is_null()) << "once";
  choose_device(w.state, "recorded:NVIDIA H200");
  w.frame();
  w.frame();
  ASSERT_FALSE(asked().is_null());
  EXPECT_EQ(asked().at("name"), "NVIDIA H200");
  EXPECT_FALSE(asked().contains("store")) << "what this machine measured is no recording";
}

/// A recording of the present tile at M = 2048, of a kernel that has changed since.
worker::KnownResult recorded_then(const AppState& state) {
  worker::KnownResult r;
  r.request = request_of(state.edit, state.limits.sm_count);
  r.request.problem.m = 2048;
  r.date = "2026-11-20", r.tflops = 400, r.time_us = 1;
  r.arch = "sm_90", r.revision = "then";  // the fake compiler's is "now"
  return r;
}

TEST(Results, RecordingsAreComparedWithTheKernelAsItIs) {
  SweepWindow w;
  const worker::KnownResult old = recorded_then(w.state);
  worker::KnownResult same = old;
  same.request.kernel = "mma_sync";
  same.request.tile = find_kernel("mma_sync")->sliders.defaults();
  same.revision = "now";
  w.client->results = json::array({old, same});
  Problem p = w.state.edit.problem;
  p.m = 2048;
  choose_device(w.state, "recorded:NVIDIA H200");
  set_problem(w.state, p);
  w.run();
  ASSERT_EQ(known_results(w.state).size(), 2u);
  for (const worker::KnownResult& r : known_results(w.state)) {
    EXPECT_EQ(r.older, r.request.kernel == "mma_multistage");
    EXPECT_TRUE(r.judged) << r.request.kernel;
  }
  p.m = 4096;
  set_problem(w.state, p);
  w.run();
  p.m = 2048;
  set_problem(w.state, p);
  w.run();
  for (const worker::KnownResult& r : known_results(w.state))
    EXPECT_EQ(r.older, r.request.kernel == "mma_multistage") << "and it is remembered";
}

// The ladder shows the fastest tile alone; of the others the present one is compared, too.
TEST(Results, ThePresentTilesRecordingIsCompared) {
  SweepWindow w;
  worker::KnownResult best = recorded_then(w.state);
  worker::KnownResult present = best, third = best;
  best.request.tile.stages = 4, third.request.tile.stages = 5;
  present.tflops = third.tflops = 300;
  w.client->results = json::array({best, present, third});
  Problem p = w.state.edit.problem;
  p.m = 2048;
  choose_device(w.state, "recorded:NVIDIA H200");
  set_problem(w.state, p);
  w.run();
  ASSERT_EQ(known_results(w.state).size(), 3u);
  for (const worker::KnownResult& r : known_results(w.state))
    EXPECT_EQ(r.judged && r.older, r.request.tile.stages != 5) << r.request.tile.stages;
  set_tile_field(w.state, TileFieldId::stages, 5);
  w.run();
  for (const worker::KnownResult& r : known_results(w.state)) EXPECT_TRUE(r.judged);
}

}  // namespace
}  // namespace tilescope
