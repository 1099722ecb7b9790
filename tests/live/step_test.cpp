// Stepping asks one thing at a time, and only while somebody steps or looks; what comes too late,
// or of another edit, is never shown.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "app/live/live.h"
#include "app/state/edit.h"
#include "app/state/stepped.h"
#include "app/state/stepped_output.h"
#include "tests/live/step_window.h"

namespace tilescope {
namespace {

using worker::calls::Step;

TEST(StepAsker, AsksNothingUntilSomebodyStepsOrLooks) {
  StepWindow w;
  w.rest();
  EXPECT_EQ(w.client->asked("step"), 0);
  EXPECT_EQ(why_no_step(w.state), "");
  EXPECT_EQ(stepped(w.state), nullptr);
  w.looks = true;
  w.frame(), w.frame();
  ASSERT_NE(w.asked(), nullptr);
  const Step::Request request = w.asked()->request<Step>();
  EXPECT_TRUE(request.motions.empty());
  EXPECT_EQ(request.from, 0u);
  ASSERT_TRUE(request.cta);
  EXPECT_EQ(*request.cta, looked_at_cta(w.state));
  EXPECT_FALSE(request.parts.shared) << "no panel of it is in view";
  EXPECT_FALSE(request.parts.accesses);
  w.answer(0);
  ASSERT_NE(stepped(w.state), nullptr);
  EXPECT_EQ(stepped(w.state)->ptx_line, 7);
  for (int i = 0; i < 5; ++i) w.frame();
  EXPECT_EQ(w.client->asked("step"), 1);
  w.looks = false;
  w.frame(), w.frame();
  EXPECT_EQ(stepped(w.state), nullptr) << "nobody steps and nobody looks";
}

TEST(StepAsker, KeysThatComeMeanwhileAreAskedTogether) {
  StepWindow w;
  w.rest();
  step_by(w.state, StepUnit::instruction, false);
  w.frame();
  ASSERT_NE(w.asked(), nullptr);
  EXPECT_TRUE(w.asked()->request<Step>().motions.empty()) << "the first shows where it begins";
  w.answer(0);
  for (int i = 0; i < 3; ++i) step_by(w.state, StepUnit::instruction, false);
  w.frame();
  ASSERT_NE(w.asked(), nullptr);
  EXPECT_EQ(w.asked()->request<Step>().motions.size(), 3u);
  for (int i = 0; i < 2; ++i) step_by(w.state, StepUnit::line, true);
  w.frame();
  EXPECT_EQ(w.client->asked("step"), 2) << "one at a time";
  EXPECT_TRUE(w.live->busy(w.state));
  w.answer(5);
  ASSERT_NE(w.asked(), nullptr);
  const Step::Request request = w.asked()->request<Step>();
  EXPECT_EQ(request.from, 5u);
  ASSERT_EQ(request.motions.size(), 2u);
  EXPECT_TRUE(request.motions[1].back);
  w.answer(3);
  EXPECT_EQ(stepped(w.state)->tick, 8u);
  step_back_to_before(w.state);
  w.frame();
  EXPECT_EQ(w.asked()->request<Step>().from, 5u);
  w.answer(0);
  step_back_to_before(w.state);
  w.frame();
  EXPECT_EQ(w.asked()->request<Step>().from, 0u);
}

TEST(StepAsker, NoPlaceIsOlderThanTheEdit) {
  StepWindow w;
  w.rest();
  w.looks = true;
  w.frame(), w.frame();
  w.answer(0);
  step_by(w.state, StepUnit::k_step, false);
  w.frame();
  const FakeClient::Call late = *w.asked();
  set_tile_field(w.state, TileFieldId::stages, 2);
  EXPECT_EQ(step_answer(w.state), nullptr) << "at once";
  EXPECT_EQ(stepped(w.state), nullptr);
  w.frame();
  EXPECT_TRUE(w.asked() == nullptr) << "cancelled";
  worker::StepAnswer a;
  a.state.place.tick = 99;
  w.client->answer_as<Step>(late, a);
  w.rest();
  const StepView& view = w.view();
  EXPECT_TRUE(!view.answer || view.answer->state.place.tick != 99);
  ASSERT_NE(w.asked(), nullptr) << "it begins anew";
  EXPECT_EQ(w.asked()->request<Step>().from, 0u);
}

TEST(StepAsker, AFailureIsOneSentenceAndThePlaceStays) {
  StepWindow w;
  w.rest();
  w.looks = true;
  w.frame(), w.frame();
  w.answer(0);
  step_until(w.state, "ptx:3", false);
  w.frame();
  w.client->fail(w.asked()->id,
                 {.message = "There is nowhere to stop: PTX line 3 has none.", .data = {}});
  w.frame();
  EXPECT_NE(w.view().note.find("nowhere"), std::string::npos);
  EXPECT_EQ(stepped(w.state)->tick, 0u);
  for (int i = 0; i < 4; ++i) w.frame();
  EXPECT_EQ(w.asked(), nullptr) << "it is not asked again by itself";
  EXPECT_EQ(w.client->asked("step"), 2);
}

TEST(StepAsker, StopEndsWhatRunsAndAskForNothingMore) {
  StepWindow w;
  w.rest();
  w.looks = true;
  w.frame(), w.frame();
  ASSERT_NE(w.asked(), nullptr);
  EXPECT_TRUE(w.live->can_stop(w.state));
  w.live->stop(w.state);
  for (int i = 0; i < 4; ++i) w.frame();
  EXPECT_EQ(w.asked(), nullptr);
  EXPECT_EQ(w.client->asked("step"), 1);
  step_until(w.state, "step:3", false);
  w.frame();
  EXPECT_NE(w.asked(), nullptr) << "it can be asked for again";
}

// The code travels once; a child that was killed is told it again, and nothing of it is seen.
TEST(StepAsker, ALaunchThatIsKeptIsNamed) {
  StepWindow w;
  w.rest();
  w.looks = true;
  w.frame(), w.frame();
  EXPECT_TRUE(w.asked()->request<Step>().of && w.asked()->request<Step>().code.ptx);
  w.answer(0);
  step_by(w.state, StepUnit::instruction, false);
  w.frame();
  Step::Request request = w.asked()->request<Step>();
  EXPECT_EQ(request.kept, "run 1");
  EXPECT_FALSE(request.of || request.code.ptx);
  w.kept.clear();
  w.answer(0);
  ASSERT_NE(w.asked(), nullptr) << "the same again";
  request = w.asked()->request<Step>();
  EXPECT_TRUE(request.of && request.code.ptx && request.kept.empty());
  EXPECT_EQ(request.motions.size(), 1u);
  EXPECT_EQ(request.from, 0u);
  w.kept = "run 2";
  w.answer(6);
  EXPECT_EQ(stepped(w.state)->tick, 6u);
  step_by(w.state, StepUnit::instruction, false);
  w.frame();
  EXPECT_EQ(w.asked()->request<Step>().kept, "run 2");
}

TEST(StepAsker, AnotherCtaIsAnotherRun) {
  StepWindow w;
  w.rest();
  w.looks = true;
  w.frame(), w.frame();
  w.answer(4);
  step_cta(w.state, {1, 2, 0}, false);
  EXPECT_EQ(step_answer(w.state), nullptr);
  w.frame();
  ASSERT_NE(w.asked(), nullptr);
  EXPECT_EQ(*w.asked()->request<Step>().cta, (BlockIndex{1, 2, 0}));
  EXPECT_EQ(w.asked()->request<Step>().from, 0u);
  w.answer(0);
  step_cta(w.state, {1, 2, 0}, true);
  w.frame();
  EXPECT_FALSE(w.asked()->request<Step>().cta) << "the whole grid";
  w.answer(0);
  step_cta(w.state, {100000, -5, 7}, false);
  w.frame();
  const BlockIndex cta = *w.asked()->request<Step>().cta;
  EXPECT_EQ(cta, (BlockIndex{w.state.derived.launch.grid_x - 1, 0, 0}));
}

// Another feature's panel asks through the core: the first place comes without the checks, which
// run the launch once more.
TEST(StepAsker, WhatTheRunHasShownIsAskedForWhileSomebodyShowsIt) {
  StepWindow w;
  w.rest();
  w.looks = true;
  const auto show = [&] { w.state.of<StepOutput>().wanted = true, w.frame(); };
  show(), show();
  ASSERT_NE(w.asked(), nullptr);
  EXPECT_FALSE(w.asked()->request<Step>().checks);
  EXPECT_FALSE(w.asked()->request<Step>().parts.output);
  w.answer(0);
  EXPECT_EQ(step_output(w.state), nullptr);
  show();
  ASSERT_NE(w.asked(), nullptr);
  EXPECT_TRUE(w.asked()->request<Step>().checks);
  EXPECT_TRUE(w.asked()->request<Step>().parts.output);
  w.answer(0);
  ASSERT_NE(step_output(w.state), nullptr);
  show();
  EXPECT_EQ(w.client->asked("step"), 2) << "once for a place";
  step_to_moment(w.state, {1, 0, 0}, 3, 99);
  show();
  const Step::Request go = w.asked()->request<Step>();
  EXPECT_EQ(go.from, 0u);
  ASSERT_EQ(go.motions.size(), 1u);
  const emulator::StopCondition& stop = go.motions[0].stops.at(0).condition;
  EXPECT_EQ(stop.kind, emulator::StopCondition::Kind::moment);
  EXPECT_EQ(stop.step, 99u);
  EXPECT_EQ(*stop.warp, 3u);
  EXPECT_EQ(stop.cta->x, 1u);
  EXPECT_TRUE(go.checks);
  w.answer(5);
  ASSERT_NE(step_output(w.state), nullptr);
  EXPECT_EQ(step_output(w.state)->state.place.tick, 5u);
  set_tile_field(w.state, TileFieldId::stages, 2);
  EXPECT_EQ(step_output(w.state), nullptr) << "at once";
}

/// One call at most, of the edit and the CTA that stand; a place of nothing else is told.
void expect_consistent(StepWindow& w) {
  int open = 0;
  for (const FakeClient::Call& call : w.client->open()) {
    if (call.cancelled || call.method != "step") continue;
    ++open;
    const Step::Request request = call.request<Step>();
    EXPECT_EQ(request.kept, w.view().kept);
    if (request.of) {
      EXPECT_EQ(request.of->request.tile, w.state.edit.rung().tile);
      EXPECT_EQ(request.cta.has_value(), !w.view().whole_grid);
    }
    EXPECT_TRUE(w.live->busy(w.state)) << "so that Stop is there";
  }
  EXPECT_LE(open, 1);
  if (const Stepped* at = stepped(w.state)) {
    EXPECT_EQ(at->serial, w.state.edit_serial);
    ASSERT_NE(step_answer(w.state), nullptr);
    EXPECT_EQ(at->tick, step_answer(w.state)->state.place.tick);
  }
}

void do_anything(StepWindow& w, std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  switch (below(12)) {
    case 0:
      return set_tile_field(w.state, TileFieldId::stages, 2 + below(7));  // some are illegal
    case 1:
      w.looks = !w.looks;
      return;
    case 2:
      return w.live->stop(w.state);
    case 3:
      return w.live->run_again(w.state);
    case 4:
      return step_cta(w.state, {below(5), below(5), 0}, below(3) == 0);
    case 5:
      return show_step_warp(w.state, below(4) - 1);
    case 6:
      return below(2) ? end_stepping(w.state) : step_back_to_before(w.state);
    case 7:
      return step_until(w.state, below(2) ? "k:3" : "written:C[1,1]", below(2));
    case 8:
      if (w.asked()) w.client->fail(w.asked()->id, {.message = "It failed.", .data = {}});
      return;
    case 9:
      for (const FakeClient::Call& call : std::vector(w.client->open())) {
        if (call.method != "step") w.client->answer_well(call.id);
      }
      return;
    default:
      w.kept = below(5) == 0 ? "" : "run";
      if (w.asked() && below(2)) return w.answer(static_cast<uint64_t>(below(9)), below(4) > 0);
      return step_by(w.state, static_cast<StepUnit>(below(5)), below(2));
  }
}

TEST(StepAsker, WhateverComesInWhateverOrder) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (int run = 0; run < 60; ++run) {
    StepWindow w;
    for (int i = 0; i < 60; ++i) {
      do_anything(w, random);
      w.frame();
      ASSERT_NO_FATAL_FAILURE(expect_consistent(w));
    }
    w.kept = "run";
    // However it went, the next step is done as if nothing had been.
    end_stepping(w.state);
    w.looks = true;
    set_tile_field(w.state, TileFieldId::stages, w.state.edit.rung().tile.stages == 3 ? 4 : 3);
    w.rest();
    ASSERT_NE(w.asked(), nullptr);
    w.answer(0);
    step_by(w.state, StepUnit::instruction, false);
    w.frame();
    ASSERT_NE(w.asked(), nullptr);
    w.answer(7);
    ASSERT_NE(stepped(w.state), nullptr);
    EXPECT_EQ(stepped(w.state)->tick, 7u);
  }
}

}  // namespace
}  // namespace tilescope
