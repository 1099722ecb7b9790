// nvMatmulHeuristics in the window: asked while somebody looks, of the sliders as they rest.
#include <gtest/gtest.h>

#include "app/features/second_opinion/opinion.h"
#include "app/features/second_opinion/opinion_asker.h"
#include "app/live/live.h"
#include "app/state/edit.h"
#include "tests/live/fake_window.h"

namespace tilescope {
namespace {

constexpr const char* kMethod = "secondOpinion";

nlohmann::json answer_of(const FakeClient::Call& call) {
  worker::SecondOpinion o;
  o.library = "nvMatmulHeuristics 0.1.0", o.gpu = "H200 SXM";
  o.present = worker::OpinionTile{.block_m = call.params.at("tile").at("block_m"),
                                  .stages = call.params.at("tile").at("stages"),
                                  .us = 300};
  return o;
}

struct OpinionWindow : FakeWindow {
  bool looks = true;
  void frame() override {
    if (looks) state.of<Opinion>().wanted = true;  // as a panel that is drawn says
    FakeWindow::frame();
  }
  void run() { FakeWindow::run(kMethod); }
  void answer_it() {
    const FakeClient::Call* call = client->find(kMethod);
    ASSERT_NE(call, nullptr);
    client->answer(call->id, answer_of(*call));
    run();
  }
};

TEST(OpinionInTheWindow, IsAskedOnceWhileSomebodyLooks) {
  OpinionWindow w;
  w.looks = false;
  w.run();
  EXPECT_EQ(w.client->find(kMethod), nullptr);
  w.looks = true;
  w.run();
  const FakeClient::Call* call = w.client->find(kMethod);
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->device, "heuristics");
  EXPECT_EQ(call->params.at("gpu"), "NVIDIA H200");
  EXPECT_EQ(call->params.at("kernel"), w.state.edit.rung().kernel);
  w.answer_it();
  ASSERT_NE(opinion_of_tile(w.state), nullptr);
  EXPECT_EQ(opinion_of_tile(w.state)->present->us, 300);
  EXPECT_EQ(w.client->find(kMethod), nullptr) << "once";
}

TEST(OpinionInTheWindow, FollowsTheSlidersOnceTheyRest) {
  OpinionWindow w;
  w.run();
  w.answer_it();
  w.frame_seconds = 0.020;
  for (const int stages : {4, 5, 2, 4}) {  // a drag, a frame each
    set_tile_field(w.state, TileFieldId::stages, stages);
    w.frame();
    EXPECT_EQ(w.client->find(kMethod), nullptr);
    EXPECT_EQ(opinion_of_tile(w.state), nullptr);
  }
  w.run();
  ASSERT_NE(w.client->find(kMethod), nullptr);
  EXPECT_EQ(w.client->find(kMethod)->params.at("tile").at("stages"), 4);
  // The answer comes when the sliders have gone on: it is not of them, and they are asked of.
  const FakeClient::Call late = *w.client->find(kMethod);
  set_tile_field(w.state, TileFieldId::stages, 5);
  w.run();
  w.client->answer(late.id, answer_of(late));
  w.run();
  EXPECT_EQ(opinion_of_tile(w.state), nullptr);
  w.answer_it();
  ASSERT_NE(opinion_of_tile(w.state), nullptr);
  EXPECT_EQ(opinion_of_tile(w.state)->present->stages, 5);
}

TEST(OpinionInTheWindow, IsNotAskedOfWhatItDoesNotKnow) {
  OpinionWindow w;
  set_kernel(w.state, "naive");
  w.run();
  EXPECT_EQ(w.client->find(kMethod), nullptr);
}

TEST(OpinionInTheWindow, IsBusyFromTheEditToTheAnswer) {
  AppState state = initial_state();
  FakeClient client;
  WorkerLink link{.client = &client, .state = &state};
  OpinionAsker asker(link);
  const auto frame = [&](bool looks) {
    state.now += 0.050;
    state.of<Opinion>().wanted = looks;
    client.poll();
    asker.update(state, NothingElse{});
  };
  frame(false);
  EXPECT_FALSE(is_busy(asker, state));
  for (int i = 0; i < 3; ++i) {
    frame(true);
    EXPECT_TRUE(is_busy(asker, state)) << i << ": the frame that asks will come, and the answer";
  }
  ASSERT_NE(client.find(kMethod), nullptr);
  client.answer(client.find(kMethod)->id, answer_of(*client.find(kMethod)));
  frame(true);
  EXPECT_FALSE(is_busy(asker, state));
  set_tile_field(state, TileFieldId::stages, 4);
  frame(true);
  EXPECT_TRUE(is_busy(asker, state));
  frame(false);
  EXPECT_FALSE(is_busy(asker, state)) << "nobody looks any more";
}

TEST(OpinionInTheWindow, AFailureIsSaidAndNotRepeated) {
  OpinionWindow w;
  w.run();
  w.client->fail(w.client->find(kMethod)->id, {-32000, 3, "Not found.", {}});
  w.run();
  EXPECT_EQ(opinion_error(w.state), "Not found.");
  EXPECT_EQ(w.client->find(kMethod), nullptr);
  EXPECT_EQ(w.state.results.error, "") << "nothing else is wrong";
  w.live->run_again(w.state);
  w.run();
  EXPECT_NE(w.client->find(kMethod), nullptr) << "after F5";
}

TEST(OpinionInTheWindow, WithoutAWorkerSaysWhy) {
  AppState state = initial_state();
  Live live(nullptr, "No worker.");
  state.of<Opinion>().wanted = true;
  live.update(state);
  EXPECT_EQ(opinion_error(state), "No worker.");
}

}  // namespace
}  // namespace tilescope
