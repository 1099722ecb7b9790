// Counters asked for by hand: when they are read, whose they are, and what ends them.
#include <gtest/gtest.h>

#include "app/features/traffic/counting.h"
#include "app/live/live.h"
#include "app/state/card_counters.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "tests/live/fake_window.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;

struct CountingWindow : FakeWindow {
  explicit CountingWindow(json devices = json::array({card("cuda:0", "NVIDIA H200")}))
      : FakeWindow(std::move(devices)) {}
};

TEST(Counting, IsDoneWhenItIsAskedFor) {
  CountingWindow w;
  w.run();
  EXPECT_EQ(counters_of(w.state), nullptr) << "not by itself";
  EXPECT_EQ(why_no_counting(w.state), "");
  ask_for_counters(w.state);
  EXPECT_TRUE(w.live->busy(w.state));
  w.frame();
  const FakeClient::Call* call = w.client->find("counters");
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->device, "cuda:0");
  EXPECT_EQ(call->params.at("time_limit"), 10);
  EXPECT_EQ(call->params.at("kernel"), w.state.edit.rung().kernel);
  EXPECT_NE(counting_text(w.state).find("counting"), std::string::npos);
  w.client->answer_well(call->id);
  w.frame();
  ASSERT_NE(counters_of(w.state), nullptr);
  EXPECT_EQ(counting_text(w.state), "");
  EXPECT_EQ(counters_source(w.state, *counters_of(w.state)),
            "measured 2026-11-22 on NVIDIA H200 (cuda:0); caches emptied before");
  take_l2(w.state, l2_question(w.state), {});  // else its simulation may still be on its way
  w.frame();
  EXPECT_FALSE(w.live->busy(w.state));
}

TEST(Counting, WaitsForTheMeasurement) {
  CountingWindow w;
  w.run("measure");
  ask_for_counters(w.state);
  w.frame();
  EXPECT_EQ(w.client->find("counters"), nullptr);
  EXPECT_EQ(counting_text(w.state), "waiting for the measurement");
  w.client->answer_well(w.client->find("measure")->id);
  w.frame();
  w.frame();
  EXPECT_NE(w.client->find("counters"), nullptr);
}

TEST(Counting, NoFigureIsOlderThanTheEdit) {
  CountingWindow w;
  w.run();
  ask_for_counters(w.state);
  w.run();
  ASSERT_NE(counters_of(w.state), nullptr);
  Problem p = w.state.edit.problem;
  p.k = 2048;
  set_problem(w.state, p);
  EXPECT_EQ(counters_of(w.state), nullptr) << "at once";
  w.run();
  EXPECT_EQ(counters_of(w.state), nullptr) << "nor is it read again by itself";
}

TEST(Counting, AnEditEndsIt) {
  CountingWindow w;
  w.run();
  ask_for_counters(w.state);
  w.frame();
  const uint64_t id = w.client->find("counters")->id;
  Problem p = w.state.edit.problem;
  p.k = 2048;
  set_problem(w.state, p);
  w.frame();
  EXPECT_EQ(w.client->find("counters"), nullptr) << "cancelled";
  w.client->answer_well(id);  // late
  w.run();
  EXPECT_EQ(counters_of(w.state), nullptr);
  EXPECT_FALSE(w.state.of<Counting>().running);
}

TEST(Counting, StopEndsItAndNothingElse) {
  CountingWindow w;
  w.run();
  ask_for_counters(w.state);
  w.frame();
  ASSERT_NE(w.client->find("counters"), nullptr);
  stop_counting(w.state);
  w.frame();
  EXPECT_EQ(w.client->find("counters"), nullptr);
  EXPECT_EQ(counting_text(w.state), "");
  EXPECT_TRUE(w.state.results.measured);
  EXPECT_EQ(w.state.of<Counting>().error, "");
  ask_for_counters(w.state);
  w.run();
  EXPECT_NE(counters_of(w.state), nullptr) << "it can be asked for again";
}

TEST(Counting, AnotherDeviceEndsIt) {
  CountingWindow w(json::array({card("cuda:0", "NVIDIA H200"), card("cuda:1", "NVIDIA H100")}));
  w.run();
  ask_for_counters(w.state);
  w.run();
  ASSERT_NE(counters_of(w.state), nullptr);
  choose_device(w.state, "cuda:1");
  w.frame();
  EXPECT_EQ(counters_of(w.state), nullptr);
}

TEST(Counting, AFailureIsOneSentence) {
  CountingWindow w;
  w.run();
  ask_for_counters(w.state);
  w.frame();
  w.client->fail(w.client->find("counters")->id,
                 {-32000, 3, "Not permitted.", {{"log", "==ERROR== ERR_NVGPUCTRPERM"}}});
  w.frame();
  EXPECT_EQ(w.state.of<Counting>().error, "Not permitted.");
  EXPECT_EQ(w.state.of<Counting>().error_details, "==ERROR== ERR_NVGPUCTRPERM");
  EXPECT_EQ(w.state.results.error, "") << "the timing stands";
  EXPECT_TRUE(w.state.results.measured);
  set_kernel(w.state, "naive");
  w.frame();
  EXPECT_EQ(w.state.of<Counting>().error, "") << "it was said of another position";
}

TEST(Counting, WithoutACardTheReasonIsSaid) {
  CountingWindow none(json::array({card("emulator", "Emulator")}));
  none.run();
  EXPECT_NE(why_no_counting(none.state).find("no NVIDIA GPU here"), std::string::npos);
  ask_for_counters(none.state);
  none.run();
  EXPECT_EQ(none.client->find("counters"), nullptr);
  CountingWindow w;
  w.run();
  choose_device(w.state, kEmulator);
  EXPECT_NE(why_no_counting(w.state).find("choose NVIDIA H200 (cuda:0)"), std::string::npos);
  choose_device(w.state, "cuda:0");
  TileConfig tile = w.state.edit.rung().tile;
  tile.warp_m = 256;
  set_tile(w.state, tile);
  EXPECT_NE(why_no_counting(w.state), "");
}

TEST(Counting, RecordedOnesComeWithTheirRecording) {
  CountingWindow w(json::array({card("emulator", "Emulator")}));
  w.client->recordings = {{{"name", "NVIDIA H200"}, {"date", "2026-11-20"}, {"count", 7}}};
  worker::MeasureResult m;
  m.standing = "recorded", m.device_name = "NVIDIA H200", m.date = "2026-11-20", m.final = true;
  worker::CountersResult c;
  c.standing = "recorded", c.device_name = "NVIDIA H200", c.date = "2026-11-20";
  c.values["dram__bytes_read.sum"] = 67e6;
  w.client->recorded = {
      {"found", true}, {"result", m}, {"arch", "sm_90"}, {"revision", "now"}, {"counters", c}};
  w.run();
  ASSERT_NE(counters_of(w.state), nullptr);
  EXPECT_EQ(counters_source(w.state, *counters_of(w.state)),
            "recorded 2026-11-20 on NVIDIA H200; caches emptied before");
  w.client->recorded["revision"] = "then";
  set_kernel(w.state, "naive");
  w.run();
  ASSERT_NE(counters_of(w.state), nullptr);
  EXPECT_TRUE(counters_of(w.state)->older_kernel);
}

TEST(NcuCommand, LaunchesThePresentPosition) {
  CountingWindow w;
  w.run();
  set_kernel(w.state, "mma_multistage");
  w.state.kernel_dir = "/a b/kernels";
  const std::string command = ncu_command(w.state);
  for (const char* part :
       {"ncu --target-processes all --kernel-name tilescope_gemm",
        "tilescope-cli launch --device cuda:0",
        "--kernel mma_multistage --size 4096x4096x4096 --layout", "--types f16,f16,f32",
        "--tile block_m=128,", "--kernel-dir '/a b/kernels'", "dram__bytes_read.sum,"}) {
    EXPECT_NE(command.find(part), std::string::npos) << part << "\n" << command;
  }
}

}  // namespace
}  // namespace tilescope
