// The rest of C, verified while nothing else runs: when parts are asked for, what drops them, and
// what the words say of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "app/state/history.h"
#include "app/state/verifying.h"
#include "core/model/format.h"
#include "tests/live/fake_window.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;

/// A C of 1,024 CTAs, of which the counts verify four.
struct VerifyWindow : FakeWindow {
  explicit VerifyWindow(json devices = json::array()) : FakeWindow(std::move(devices)) {
    client->few_ctas = true;
    run("verifyPart");
  }
  const FakeClient::Call* part() { return client->find("verifyPart"); }
  /// Answers parts until none is asked for.
  void verify_all() {
    while (part()) {
      client->answer_well(part()->id);
      frame();
    }
  }
};

TEST(Verify, TheRestFollowsWhileNothingElseRuns) {
  VerifyWindow w;
  EXPECT_EQ(verdict_of(w.state).text, "4 of 1,024 CTAs right so far");
  EXPECT_EQ(verdict_of(w.state).kind, Verdict::Kind::partial);
  EXPECT_FALSE(point_of(w.state).verified);
  ASSERT_NE(w.part(), nullptr);
  EXPECT_EQ(w.part()->device, "emulator");
  EXPECT_EQ(w.part()->params.at("ptx"), w.state.results.compile->ptx);
  take_l2(w.state, l2_question(w.state), {});  // else its simulation may still be on its way
  w.frame();
  EXPECT_FALSE(w.live->busy(w.state)) << "nobody waits for it";
  w.client->answer_well(w.part()->id);
  w.frame();
  const uint64_t ctas = w.state.results.emulated->verified->ctas;
  EXPECT_GT(ctas, 4u);
  EXPECT_EQ(verdict_of(w.state).text.find("of 1,024 CTAs right so far"),
            model::grouped(static_cast<long long>(ctas)).size() + 1);
  w.verify_all();
  EXPECT_EQ(verdict_of(w.state).kind, Verdict::Kind::whole);
  EXPECT_EQ(verdict_of(w.state).text, "verified on random data by the emulator");
  EXPECT_EQ(w.state.results.emulated->verified->elements, 4096u * 4096u);
  EXPECT_TRUE(point_of(w.state).verified);
  ASSERT_FALSE(w.state.history.empty());
  EXPECT_TRUE(w.state.history.back().verified) << "the history learns of it";
}

TEST(Verify, WhatIsSelectedComesFirst) {
  FakeWindow w;
  w.client->few_ctas = true;
  select_cta(w.state, {7, 21});
  w.run("verifyPart");
  const auto* part = w.client->find("verifyPart");
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->params.at("groups").at(0), model::group_of_tile(w.state.derived.plan, {7, 21}));
}

TEST(Verify, AnEditDropsItAtOnceAndItsAnswerIsNobodys) {
  VerifyWindow w;
  const uint64_t id = w.part()->id;
  set_tile_field(w.state, TileFieldId::stages, 4);
  w.frame();
  EXPECT_EQ(w.part(), nullptr);
  const auto& open = w.client->open();
  const auto late = std::ranges::find(open, id, &FakeClient::Call::id);
  ASSERT_NE(late, open.end());
  EXPECT_TRUE(late->cancelled);
  w.client->answer_well(id);
  w.frame();
  EXPECT_EQ(w.state.results.emulated->verified->ctas, 4u) << "of the edit before";
  w.run("verifyPart");
  ASSERT_NE(w.part(), nullptr) << "from the beginning";
  EXPECT_EQ(verdict_of(w.state).text, "4 of 1,024 CTAs right so far");
}

TEST(Verify, MakesWayForWhatSomebodyWaitsForAndGoesOn) {
  VerifyWindow w;
  w.client->answer_well(w.part()->id);
  w.frame();
  const json groups = w.part()->params.at("groups");
  select_cta(w.state, {2, 9});  // another trace
  w.frame();
  EXPECT_EQ(w.part(), nullptr);
  EXPECT_NE(w.client->find("trace"), nullptr);
  const uint64_t done = w.state.results.emulated->verified->ctas;
  w.run("verifyPart");
  ASSERT_NE(w.part(), nullptr);
  EXPECT_GE(w.state.results.emulated->verified->ctas, done);
  w.verify_all();
  EXPECT_EQ(verdict_of(w.state).kind, Verdict::Kind::whole);
}

TEST(Verify, AWrongPartIsTheLastAndSaysWhy) {
  VerifyWindow w;
  worker::VerifiedPart wrong;
  wrong.sums.elements = 16384;
  wrong.sums.none = {0, 0, 16384, 384, 640};
  wrong.tolerance = 1e-5, wrong.usual_square = 1;
  wrong.findings.resize(1);
  wrong.findings[0].kind = "wrong_index", wrong.findings[0].line = 69;
  wrong.findings[0].message = "C[384, 640] is wrong.";
  w.client->answer(w.part()->id, wrong);
  w.frame();
  EXPECT_EQ(w.part(), nullptr);
  const Verdict verdict = verdict_of(w.state);
  EXPECT_EQ(verdict.kind, Verdict::Kind::wrong);
  EXPECT_EQ(verdict.text, "WRONG: 16,384 elements were never written, the first at C[384, 640]");
  ASSERT_FALSE(w.state.results.findings.empty());
  EXPECT_EQ(w.state.results.findings.front().line, 69);
  EXPECT_FALSE(point_of(w.state).verified);
}

TEST(Verify, AFaultInAPartIsTheKernels) {
  VerifyWindow w;
  w.client->fail(w.part()->id, {-32000, 4, "Out of bounds.", {{"fault", "out_of_bounds"}}});
  w.frame();
  w.frame();
  EXPECT_EQ(w.part(), nullptr);
  EXPECT_EQ(w.state.results.stage, Stage::failed);
  EXPECT_EQ(w.state.results.error, "Out of bounds.");
}

TEST(Verify, WhatCannotBeRunIsLeftWithAReason) {
  VerifyWindow w;
  w.client->fail(w.part()->id, {-32000, 3, "It needs 9 GB.", {}});
  w.frame();
  EXPECT_EQ(w.part(), nullptr);
  EXPECT_EQ(w.state.results.stage, Stage::done);
  EXPECT_EQ(verdict_of(w.state).text, "4 of 1,024 CTAs right so far");
  EXPECT_NE(verdict_of(w.state).tip.find("It needs 9 GB."), std::string::npos);
}

TEST(Verify, StopStopsItUntilSomebodyAsks) {
  VerifyWindow w;
  w.live->stop(w.state);
  w.frame();
  EXPECT_EQ(w.part(), nullptr);
  EXPECT_TRUE(can_verify_rest(w.state));
  verify_rest(w.state);
  w.frame();
  ASSERT_NE(w.part(), nullptr);
  EXPECT_FALSE(can_verify_rest(w.state));
  w.verify_all();
  EXPECT_EQ(verdict_of(w.state).kind, Verdict::Kind::whole);
}

TEST(Verify, WhatTakesMinutesIsLeftUntilSomebodyAsks) {
  FakeWindow w;
  w.client->few_ctas = true;
  Problem p = w.state.edit.problem;
  p.m = p.n = p.k = 32768;
  set_problem(w.state, p);
  w.run("verifyPart");
  EXPECT_EQ(w.client->find("verifyPart"), nullptr);
  EXPECT_EQ(verdict_of(w.state).kind, Verdict::Kind::partial);
  verify_rest(w.state);
  w.frame();
  EXPECT_NE(w.client->find("verifyPart"), nullptr);
}

// A card compares all of its C.
TEST(Verify, ACardsWholeResultIsEnough) {
  FakeWindow w(json::array({card("cuda:0", "NVIDIA H200")}));
  w.client->few_ctas = true;
  w.run("measure");
  worker::MeasureResult m;
  m.device = "cuda:0", m.device_name = "NVIDIA H200", m.standing = "measured";
  m.tflops = 100, m.time_us = 10, m.final = true;
  m.verified = worker::Verification{.norm = 1e-7,
                                    .tolerance = 1e-5,
                                    .ok = true,
                                    .elements = 4096 * 4096,
                                    .of = 4096 * 4096,
                                    .ctas = 1024,
                                    .of_ctas = 1024};
  w.client->answer(w.client->find("measure")->id, m);
  w.run("verifyPart");
  EXPECT_EQ(w.client->find("verifyPart"), nullptr);
  EXPECT_EQ(verdict_of(w.state).kind, Verdict::Kind::whole);
  EXPECT_EQ(verdict_of(w.state).text, "verified on random data by the card");
  EXPECT_TRUE(point_of(w.state).verified);
}

TEST(Verify, WhatACardComputedWronglyIsSaid) {
  FakeWindow w(json::array({card("cuda:0", "NVIDIA H200")}));
  w.run("measure");
  worker::MeasureResult m;
  m.device = "cuda:0", m.device_name = "NVIDIA H200", m.standing = "measured", m.final = true;
  m.verified = worker::Verification{.ok = false, .elements = 4096, .of = 4096};
  m.verified->none = {4096, 0, 0, 0, 0};
  w.client->answer(w.client->find("measure")->id, m);
  w.frame();
  const Verdict verdict = verdict_of(w.state);
  EXPECT_EQ(verdict.kind, Verdict::Kind::wrong);
  EXPECT_EQ(verdict.text, "WRONG on the card: 4,096 elements are NaN, the first at C[0, 0]");
  EXPECT_FALSE(point_of(w.state).verified);
}

}  // namespace
}  // namespace tilescope
