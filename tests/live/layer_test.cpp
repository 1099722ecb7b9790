// The layer in the window: modelled beside it once the choice rests, run by the worker on request.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_planner.h"
#include "app/features/layer/layer_view.h"
#include "app/state/device.h"
#include "tests/live/fake_window.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using workload::Layer;
using workload::LayerKind;

constexpr const char* kLayerMethod = "layer";

Layer small(int ranks = 2) {
  return {
      .kind = LayerKind::column, .tokens = 64, .in = 64, .out = 128, .ranks = ranks, .chunks = 2};
}

/// Frames of a window that has nothing but the model.
struct Modelled {
  AppState state = initial_state();
  std::mutex mutex;
  std::condition_variable changed;
  int woken = 0;
  bool looks = true;
  LayerPlanner planner;  // its threads end before what they tell

  Modelled() {
    devices_found(state, {});
    recordings_found(state, {});
    set_layer(state, small());
    planner.on_activity([this] {
      const std::lock_guard lock(mutex);
      ++woken;
      changed.notify_all();
    });
  }
  void frame(double seconds = 0.020) {
    state.now += seconds;
    state.of<LayerView>().wanted = looks;
    planner.update(state, NothingElse{});
  }
  int told() {
    const std::lock_guard lock(mutex);
    return woken;
  }
  void until_known() {
    for (int seen = told(); !layer_modelled(state); seen = told()) {
      frame(1), frame(1);  // the choice has come to rest
      if (layer_modelled(state)) return;
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return woken > seen; });
    }
  }
};

TEST(LayerModelled, OfTheChosenLayerAndOfOtherRanks) {
  Modelled w;
  w.frame();
  EXPECT_TRUE(is_busy(w.planner, w.state));
  w.until_known();
  EXPECT_FALSE(is_busy(w.planner, w.state));
  const LayerModel& model = *layer_model(w.state);
  EXPECT_EQ(model.plan.schedule.total_us, plan_layer(small(), w.state.gpu).schedule.total_us);
  ASSERT_EQ(model.scaling.size(), 4u);
  for (const ScalingModel& point : model.scaling) {
    EXPECT_EQ(point.total_us, plan_layer(small(point.ranks), w.state.gpu).schedule.total_us);
  }
}

TEST(LayerModelled, RanksThatCannotBeSayWhy) {
  Modelled w;
  Layer narrow = small();
  narrow.out = 3;
  set_layer(w.state, narrow);
  w.until_known();
  const std::vector<ScalingModel>& scaling = layer_model(w.state)->scaling;
  EXPECT_GT(scaling[1].total_us, 0);
  EXPECT_NE(scaling[2].why_not, "");
  EXPECT_EQ(scaling[2].total_us, 0);
}

TEST(LayerModelled, OnlyWhileSomebodyLooks) {
  Modelled w;
  w.looks = false;
  for (int i = 0; i < 5; ++i) w.frame(1);
  EXPECT_FALSE(is_busy(w.planner, w.state));
  EXPECT_EQ(w.told(), 0);
  EXPECT_EQ(w.state.of<LayerView>().model, nullptr);
}

TEST(LayerModelled, WaitsUntilTheChoiceRests) {
  Modelled w;
  w.until_known();
  const int before = w.told();
  for (int ranks = 3; ranks < 20; ++ranks) {  // a drag, a frame each
    set_layer(w.state, small(ranks));
    w.frame();
    EXPECT_EQ(layer_model(w.state), nullptr);
  }
  EXPECT_EQ(w.told(), before);
  w.until_known();
  EXPECT_EQ(layer_model(w.state)->of.layer.ranks, 19);
  EXPECT_EQ(layer_model(w.state)->scaling.size(), 5u) << "with the chosen number";
}

TEST(LayerModelled, AnImpossibleLayerIsNotAsked) {
  Modelled w;
  Layer impossible = small();
  impossible.out = 1;
  set_layer(w.state, impossible);
  for (int i = 0; i < 5; ++i) w.frame(1);
  EXPECT_FALSE(is_busy(w.planner, w.state));
  EXPECT_EQ(w.told(), 0);
}

/// A window whose layer is modelled already.
struct LayerWindow : FakeWindow {
  explicit LayerWindow(nlohmann::json devices = nlohmann::json::array())
      : FakeWindow(std::move(devices)) {
    run(kLayerMethod);  // devices are known
    choose(small());
  }
  void choose(const Layer& layer) {
    set_layer(state, layer);
    auto model = std::make_shared<LayerModel>();
    model->of = layer_question(state);
    model->plan = plan_layer(layer, state.gpu);
    for (const int ranks : scaling_ranks(layer))
      model->scaling.push_back({.ranks = ranks, .why_not = {}});
    state.of<LayerView>().model = std::move(model);
  }
  void run(const std::string& but = kLayerMethod) { FakeWindow::run(but); }
  void press() {
    state.of<LayerView>().run.wanted = true;
    run();
  }
  nlohmann::json answer() const {
    worker::LayerResult result;
    result.device = "emulator";
    result.checks = {{"Y", {}}};
    result.checks[0].verified.ok = true;
    return result;
  }
};

nlohmann::json cards(int count) {
  nlohmann::json all = nlohmann::json::array();
  for (int i = 0; i < count; ++i) all.push_back(card("cuda:" + std::to_string(i), "NVIDIA H200"));
  return all;
}

TEST(LayerRunInTheWindow, IsAskedOnRequestAlone) {
  LayerWindow w;
  EXPECT_EQ(w.client->find(kLayerMethod), nullptr);
  w.press();
  const FakeClient::Call* call = w.client->find(kLayerMethod);
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->device, "emulator");
  EXPECT_EQ(call->params.at("layer").at("out"), 128);
  EXPECT_EQ(call->params.at("choices").at(0).at("kernel"),
            layer_model(w.state)->plan.steps[0].choice.kernel->info.id);
  EXPECT_FALSE(call->params.contains("devices"));
  EXPECT_TRUE(w.state.of<LayerView>().run.running);
  const uint64_t id = call->id;
  w.client->progress(id, {{"stage", "dW = dYᵀ·X"}});
  w.frame();
  EXPECT_EQ(w.state.of<LayerView>().run.stage, "dW = dYᵀ·X");
  w.client->answer(id, w.answer());
  w.run();
  EXPECT_FALSE(w.state.of<LayerView>().run.running);
  ASSERT_NE(layer_measured(w.state), nullptr);
  EXPECT_TRUE(layer_measured(w.state)->result.ok());
  EXPECT_EQ(w.client->find(kLayerMethod), nullptr) << "once";
}

TEST(LayerRunInTheWindow, TakesACardARankWhereThereAreSoMany) {
  LayerWindow w(cards(2));
  w.press();
  ASSERT_NE(w.client->find(kLayerMethod), nullptr);
  EXPECT_EQ(w.client->find(kLayerMethod)->device, "cuda:0");
  EXPECT_EQ(w.client->find(kLayerMethod)->params.at("devices"),
            (nlohmann::json{"cuda:0", "cuda:1"}));
  w.choose(small(3));
  w.run();
  EXPECT_EQ(w.client->find(kLayerMethod), nullptr) << "another layer ends the run";
  EXPECT_FALSE(w.state.of<LayerView>().run.running);
  w.press();
  ASSERT_NE(w.client->find(kLayerMethod), nullptr);
  EXPECT_FALSE(w.client->find(kLayerMethod)->params.contains("devices"))
      << "one card for all three";
}

/// A run of the modelled layer on cards.
worker::KeptLayer kept_run(const LayerWindow& w, int cards) {
  worker::KeptLayer kept;
  kept.request = layer_request(layer_model(w.state)->plan, w.state.limits.sm_count);
  kept.card = "NVIDIA H200", kept.cards = cards, kept.date = "2026-11-20";
  kept.result = w.answer().get<worker::LayerResult>();
  kept.result.steps.resize(kept.request.choices.size(), {.us = 5, .alone_us = 4});
  kept.result.total_us = 20, kept.result.forward_us = 5;
  return kept;
}

TEST(LayerRunInTheWindow, WhatCardsMeasuredIsKept) {
  LayerWindow w(cards(2));
  w.state.store = "/store";
  w.press();
  ASSERT_NE(w.client->find(kLayerMethod), nullptr);
  const worker::KeptLayer expected = kept_run(w, 2);
  w.client->answer(w.client->find(kLayerMethod)->id, expected.result);
  w.run("keepLayer");
  const FakeClient::Call* call = w.client->find("keepLayer");
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->params.at("store"), "/store");
  const auto kept = call->params.get<worker::KeptLayer>();
  EXPECT_EQ(kept.card, "NVIDIA H200");
  EXPECT_EQ(kept.cards, 2);
  EXPECT_EQ(kept.request.choices, expected.request.choices);
  EXPECT_EQ(kept.result.total_us, 20);
  w.client->answer(call->id, {{"remark", "The result is not kept: the disk is full."}});
  w.run();
  EXPECT_EQ(w.state.said, "The result is not kept: the disk is full.");
}

TEST(LayerRunInTheWindow, TheEmulatorsRunIsNotKept) {
  LayerWindow w;
  w.state.store = "/store";
  w.press();
  w.client->answer(w.client->find(kLayerMethod)->id, w.answer());
  w.run("keepLayer");
  EXPECT_NE(layer_measured(w.state), nullptr);
  EXPECT_EQ(w.client->find("keepLayer"), nullptr);
}

TEST(LayerRunInTheWindow, WhatWasMeasuredBeforeComesBackWithItsDay) {
  LayerWindow w(cards(2));
  w.state.store = "/store";
  w.run("keptLayers");
  EXPECT_EQ(w.client->find("keptLayers"), nullptr) << "nobody looks at layers";
  worker::KeptLayer two = kept_run(w, 2), one = kept_run(w, 1), wider = kept_run(w, 2);
  wider.request.sms += 1;
  w.client->layers = {one, wider};
  w.state.of<LayerView>().wanted = true;
  w.run("keptLayers");
  ASSERT_NE(w.client->find("keptLayers"), nullptr);
  EXPECT_EQ(w.client->find("keptLayers")->params.at("card"), "NVIDIA H200");
  w.run();
  EXPECT_EQ(layer_measured(w.state), nullptr) << "two ranks on one card, other cards";
  w.client->layers = {two};
  choose_device(w.state, "cuda:1");
  w.choose(small());
  w.state.of<LayerView>().wanted = true;
  w.run();
  const LayerMeasured* measured = layer_measured(w.state);
  ASSERT_NE(measured, nullptr);
  EXPECT_EQ(measured->date, "2026-11-20");
  EXPECT_EQ(day_words(*measured), ", 2026-11-20");
  // Of other kernels or tiles than the plan's it is no account of the plan.
  auto model = std::make_shared<LayerModel>(*layer_model(w.state));
  for (ScalingModel& point : model->scaling) point.choices = two.request.choices;
  w.state.of<LayerView>().model = model;
  EXPECT_NE(layer_measured(w.state), nullptr);
  model = std::make_shared<LayerModel>(*model);
  for (ScalingModel& point : model->scaling) point.choices[0].kernel = "another";
  w.state.of<LayerView>().model = model;
  EXPECT_EQ(layer_measured(w.state), nullptr);
}

TEST(LayerRunInTheWindow, AnAnswerToWhatWasChosenBeforeIsNobodys) {
  LayerWindow w;
  w.press();
  const uint64_t late = w.client->find(kLayerMethod)->id;
  w.choose(small(4));
  w.frame();
  w.client->answer(late, w.answer());
  w.run();
  EXPECT_EQ(layer_measured(w.state), nullptr);
  w.choose(small());
  EXPECT_EQ(layer_measured(w.state), nullptr) << "it was cancelled";
}

TEST(LayerRunInTheWindow, StopsByHand) {
  LayerWindow w;
  w.press();
  w.state.of<LayerView>().run.stop = true;
  w.run();
  EXPECT_EQ(w.client->find(kLayerMethod), nullptr);
  EXPECT_FALSE(w.state.of<LayerView>().run.running);
  w.press();
  w.live->stop(w.state);
  EXPECT_FALSE(w.state.of<LayerView>().run.running);
}

TEST(LayerRunInTheWindow, AFailureIsSaidBesideItsLayer) {
  LayerWindow w;
  w.press();
  w.client->fail(w.client->find(kLayerMethod)->id, {-32000, 4, "Rank 1 of 2 (cuda:1) failed.", {}});
  w.run();
  EXPECT_EQ(layer_error(w.state), "Rank 1 of 2 (cuda:1) failed.");
  EXPECT_EQ(w.state.results.error, "") << "nothing else is wrong";
  w.choose(small(4));
  EXPECT_EQ(layer_error(w.state), "") << "of this one nothing is known";
}

TEST(LayerRunInTheWindow, AnAnswerThatIsNoneRestartsTheWorker) {
  LayerWindow w;
  w.press();
  w.client->answer(w.client->find(kLayerMethod)->id, {{"bars", "none"}});
  w.run();
  EXPECT_EQ(w.client->restarts(), 1);
  EXPECT_FALSE(w.state.of<LayerView>().run.running);
}

TEST(LayerRunInTheWindow, WithoutAWorkerSaysWhy) {
  AppState state = initial_state();
  Live live(nullptr, "No worker.");
  live.update(state);
  state.of<LayerView>().run.wanted = true;
  live.update(state);
  EXPECT_EQ(layer_error(state), "No worker.");
}

}  // namespace
}  // namespace tilescope
