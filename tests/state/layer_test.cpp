// The layer beside the kernel: edits, undo and session, and that no answer stands beside a choice
// that it is not of.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "app/features/layer/layer_causes.h"
#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_pictures.h"
#include "app/features/layer/layer_presets.h"
#include "app/features/layer/layer_times.h"
#include "app/features/layer/layer_view.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/session.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using workload::Layer;
using workload::LayerKind;

Layer small() {
  return {.kind = LayerKind::column, .tokens = 64, .in = 128, .out = 256, .ranks = 2, .chunks = 2};
}

worker::DeviceInfo card(const std::string& id, const std::string& name) {
  worker::DeviceInfo info;
  info.id = id, info.name = name, info.available = true;
  return info;
}

/// The chosen layer as the planner would leave it.
void model_it(AppState& state) {
  auto model = std::make_shared<LayerModel>();
  model->of = layer_question(state);
  model->plan = plan_layer(chosen_layer(state), state.gpu);
  for (const int ranks : scaling_ranks(chosen_layer(state))) {
    model->scaling.push_back(
        {.ranks = ranks, .forward_us = 10.0 / ranks, .total_us = 30.0 / ranks, .why_not = {}});
  }
  state.of<LayerView>().model = std::move(model);
}

/// A run of a card, each step of 10 µs.
void measure_it(AppState& state, const std::string& date = model::today()) {
  LayerMeasured measured{layer_question(state), layer_place(state), date, {}, {}};
  measured.result.device = "NVIDIA H200";
  measured.result.forward_us = 11, measured.result.total_us = 33;
  measured.result.steps.assign(make_workload(chosen_layer(state)).steps.size(), {10, 0});
  measured.result.bars = {{0, 0, 0, 0, 11}};
  keep_measured(state, std::move(measured));
}

AppState with_layer(const Layer& layer) {
  AppState state = initial_state();
  devices_found(state, {});
  recordings_found(state, {});
  set_layer(state, layer);
  return state;
}

TEST(LayerEdit, ADragIsOneStepAndTheKernelIsLeftAlone) {
  AppState state = initial_state();
  const uint64_t serial = state.edit_serial;
  const Layer before = chosen_layer(state);
  for (const int ranks : {3, 4, 8}) set_layer(state, over_ranks(before, ranks), 7);
  EXPECT_EQ(state.undo.size(), 1u);
  EXPECT_EQ(state.edit_serial, serial);
  undo(state);
  EXPECT_EQ(chosen_layer(state), before);
  EXPECT_EQ(state.edit_serial, serial) << "nothing is compiled again";
  redo(state);
  EXPECT_EQ(chosen_layer(state).ranks, 8);
}

TEST(LayerEdit, APointOfTheHistoryLeavesTheLayer) {
  AppState state = with_layer(small());
  Edit old = state.edit;
  old.beside = {};
  old.change_rung().kernel = "naive";
  set_edit(state, old);
  EXPECT_EQ(chosen_layer(state), small());
}

TEST(LayerSession, GoesThroughTheFile) {
  AppState state = with_layer({.kind = LayerKind::mlp,
                               .tokens = 77,
                               .in = 768,
                               .out = 3072,
                               .ranks = 3,
                               .chunks = 5,
                               .gather = false,
                               .overlap = false});
  state.of<LayerView>().step = 4;
  AppState other = initial_state();
  std::string error;
  ASSERT_TRUE(from_json(other, to_json(state), &error)) << error;
  EXPECT_EQ(other.edit.beside.of<ChosenLayer>().layer, chosen_layer(state));
  EXPECT_EQ(other.of<LayerView>().step, 4);
}

TEST(LayerSession, AnImpossibleOneIsKeptAndNonsensePassedOver) {
  AppState state = with_layer(over_ranks(small(), 64));
  nlohmann::json file = to_json(state);
  file["layer"]["out"] = 3;
  file["layer"]["kind"] = "diagonal", file["layer"]["chunks"] = "many", file["layer"]["step"] = -5;
  AppState other = with_layer(small());
  std::string error;
  ASSERT_TRUE(from_json(other, file, &error)) << error;
  EXPECT_EQ(other.edit.beside.of<ChosenLayer>().layer.out, 3);
  EXPECT_EQ(other.edit.beside.of<ChosenLayer>().layer.kind, LayerKind::column);
  EXPECT_EQ(other.edit.beside.of<ChosenLayer>().layer.chunks, 2);
  EXPECT_EQ(other.of<LayerView>().step, 0);
  EXPECT_NE(why_not(other.edit.beside.of<ChosenLayer>().layer), "");
  EXPECT_EQ(shown_layer(other), nullptr) << "there was no legal one";
}

TEST(LayerAnswers, AreShownBesideTheirOwnChoiceAlone) {
  AppState state = with_layer(small());
  EXPECT_EQ(layer_model(state), nullptr);
  model_it(state);
  measure_it(state);
  ASSERT_NE(layer_model(state), nullptr);
  ASSERT_NE(layer_measured(state), nullptr);
  EXPECT_TRUE(layer_modelled(state));
  EXPECT_EQ(modelled_times(state).standing, Standing::modelled);
  EXPECT_EQ(best_times(state).standing, Standing::measured);
  Layer other = small();
  other.chunks = 4;
  set_layer(state, other);
  EXPECT_EQ(layer_model(state), nullptr);
  EXPECT_EQ(layer_measured(state), nullptr);
  EXPECT_EQ(best_times(state).standing, Standing::none);
  EXPECT_NE(layer_timeline_picture(state).stale, "");
  EXPECT_NE(scaling_picture(state).stale, "");
  EXPECT_EQ(layer_picture(state).stale, "") << "its picture asks nobody";
  EXPECT_EQ(layer_picture(state).layer, other);
  set_layer(state, small());
  EXPECT_NE(layer_measured(state), nullptr);
  EXPECT_EQ(layer_timeline_picture(state).stale, "");
  EXPECT_EQ(layer_timeline_picture(state).measured.total_us, 33);
}

TEST(LayerAnswers, AreOfTheirDevice) {
  AppState state = with_layer(small());
  model_it(state);
  measure_it(state);
  choose_gpu_of_emulator(state, model::device_table().back().name);
  EXPECT_EQ(layer_model(state), nullptr);
  EXPECT_EQ(layer_measured(state), nullptr);
}

TEST(LayerAnswers, AnImpossibleChoiceLeavesTheLastPictureFaded) {
  AppState state = with_layer(small());
  model_it(state);
  Layer impossible = small();
  impossible.out = 1;
  set_layer(state, impossible);
  ASSERT_NE(shown_layer(state), nullptr);
  EXPECT_EQ(*shown_layer(state), small());
  EXPECT_NE(layer_picture(state).stale, "");
  EXPECT_NE(why_no_run(state), "");
}

TEST(LayerAnswers, OfOtherRanksFillTheScaling) {
  AppState state = with_layer(small());
  model_it(state);
  measure_it(state);
  set_layer(state, over_ranks(small(), 1));
  model_it(state);
  measure_it(state);
  const viz::ScalingState picture = scaling_picture(state);
  ASSERT_EQ(picture.points.size(), 4u);
  EXPECT_EQ(picture.points[0].measured.backward_us, 22);
  EXPECT_EQ(picture.points[1].measured.forward_us, 11);
  EXPECT_EQ(picture.points[2].measured.forward_us, 0) << "4 were not measured";
  EXPECT_EQ(picture.points[2].modelled.forward_us, 2.5);
  Layer longer = over_ranks(small(), 1);
  longer.tokens = 128;
  set_layer(state, longer);
  model_it(state);
  EXPECT_EQ(scaling_picture(state).points[0].measured.forward_us, 0) << "another shape";
}

TEST(LayerAnswers, OfAnotherDayHaveItBesideThem) {
  AppState state = with_layer(small());
  model_it(state);
  measure_it(state);
  EXPECT_EQ(layer_timeline_picture(state).day, "");
  EXPECT_EQ(scaling_picture(state).device, "NVIDIA H200");
  measure_it(state, "2026-11-20");
  EXPECT_EQ(layer_timeline_picture(state).day, ", 2026-11-20");
  EXPECT_EQ(scaling_picture(state).device, "NVIDIA H200, 2026-11-20");
  set_layer(state, over_ranks(small(), 1));
  model_it(state);
  measure_it(state, "2026-11-21");
  EXPECT_EQ(scaling_picture(state).device, "NVIDIA H200, of several days");
}

TEST(LayerPlaces, ACardARankIfThereAreSoManyAlike) {
  AppState state = initial_state();
  recordings_found(state, {});
  devices_found(state, {card("cuda:0", "NVIDIA H200"), card("cuda:1", "NVIDIA RTX A2000"),
                        card("cuda:2", "NVIDIA H200")});
  EXPECT_EQ(layer_place(state, 1).devices, (std::vector<std::string>{"cuda:0"}));
  EXPECT_EQ(layer_place(state, 2).devices, (std::vector<std::string>{"cuda:0", "cuda:2"}));
  EXPECT_EQ(layer_place(state, 3).devices, (std::vector<std::string>{"cuda:0"})) << "for all";
  EXPECT_EQ(rank_place(layer_place(state, 2), 1), "cuda:2");
  EXPECT_EQ(rank_place(layer_place(state, 3), 2), "cuda:0");
  choose_device(state, kEmulator);
  EXPECT_EQ(layer_place(state, 2).devices, (std::vector<std::string>{kEmulator}));
}

TEST(LayerSteps, AChosenOneIsTheEdit) {
  AppState state = with_layer(small());
  choose_step(state, 1);
  EXPECT_EQ(state.edit.rung().kernel, "mma_multistage") << "no rung is known yet";
  model_it(state);
  choose_step(state, 1);
  const RungChoice& choice = layer_model(state)->plan.steps[1].choice;
  EXPECT_EQ(state.edit.rung().kernel, choice.kernel->info.id);
  EXPECT_EQ(state.edit.rung().tile, choice.tile);
  EXPECT_EQ(state.edit.problem.k, 128) << "its share of out";
  EXPECT_TRUE(state.derived.legal());
  const Edit before = state.edit;
  choose_step(state, 2);  // an all-reduce
  EXPECT_TRUE(same_request(state.edit, before));
  EXPECT_EQ(chosen_step(state), 2);
  state.of<LayerView>().step = 99;
  EXPECT_EQ(chosen_step(state), 4) << "the last that there is";
}

TEST(LayerTimes, SharesAreOfTheWallTimeAndTransfersBesideProductsHaveNone) {
  const workload::Workload w = make_workload(small());
  // A product of rank 0 to 10, an all-reduce from 6 to 14, a product of rank 1 from 12 to 20, a
  // step of both from 25 on.
  const WallTime wall = wall_time(w, {{0, 0, 0, 0, 10},
                                      {2, 0, -1, 6, 14},
                                      {1, 0, 1, 12, 20},
                                      {3, 0, 0, 25, 30},
                                      {4, 0, 1, 25, 30}});
  EXPECT_DOUBLE_EQ(wall.whole_us, 30);
  EXPECT_DOUBLE_EQ(wall.waiting_us, 5);
  EXPECT_DOUBLE_EQ(wall.steps[0].us, 10);
  EXPECT_DOUBLE_EQ(wall.steps[1].us, 8);
  EXPECT_DOUBLE_EQ(wall.steps[2].us, 2) << "10 to 12, no product runs";
  EXPECT_DOUBLE_EQ(wall.steps[2].beside_us, 6);
  EXPECT_DOUBLE_EQ(wall.steps[3].us, 2.5) << "the two share it";
  EXPECT_DOUBLE_EQ(wall.steps[4].us, 2.5);
}

TEST(LayerTimes, ModelErrorIsOfWhatWasMeasured) {
  EXPECT_FALSE(model_error(0, 5));
  EXPECT_DOUBLE_EQ(*model_error(9, 10), -0.1);
}

/// Whatever the layer: the shares are all of the time, and each step says what it waits for.
TEST(LayerTimes, SharesOfAnyLayerAddUpAndEveryBarHasAReason) {
  std::mt19937 random(47);
  const auto any = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  int held = 0;
  for (int i = 0; i < 300; ++i) {
    Layer layer{.kind = workload::kLayerKinds[any(0, std::size(workload::kLayerKinds) - 1)],
                .tokens = any(8, 5000),
                .in = any(8, 5000),
                .out = any(8, 5000),
                .ranks = any(1, 8),
                .chunks = any(1, 8),
                .overlap = any(0, 1) == 1};
    if (!why_not(layer).empty()) continue;
    const workload::Workload w = make_workload(layer);
    const double unit = any(1, 20), wait = any(0, 30);
    const workload::Schedule s = schedule(
        w, [&](int step, int chunk, int rank) { return unit * (step + 1) + chunk + rank + 2; },
        {.product = 0.9, .wait = [&](int, int, int) { return wait; }});
    const WallTime wall = wall_time(w, s.bars);
    double all = wall.waiting_us, moves = 0;
    for (const WallShare& share : wall.steps) all += share.us;
    EXPECT_NEAR(all, s.total_us, 1e-6 * s.total_us);
    EXPECT_NEAR(wall.whole_us, s.total_us, 1e-6 * s.total_us);
    for (size_t step = 0; step < w.steps.size(); ++step) {
      if (!is_collective(w.steps[step])) continue;
      moves += wall.steps[step].us + wall.steps[step].beside_us;
    }
    double bars = 0;
    for (const workload::Bar& bar : s.bars) {
      if (bar.rank < 0) bars += bar.us();
      held += bar.holder.step >= 0;
      const std::string words = cause_words(w, bar);
      EXPECT_EQ(words.find(chunk_name(w, {bar.step, bar.chunk})), 0u) << words;
      EXPECT_EQ(words.find("at once") != std::string::npos,
                bar.cause.kind == workload::Cause::Kind::none)
          << words;
    }
    EXPECT_NEAR(moves, bars, 1e-6 * s.total_us) << "the link carries one transfer at a time";
  }
  EXPECT_GT(held, 0);
}

TEST(LayerTimes, ATransferThatWaitsForSmsNamesTheProductThatHasThem) {
  // What a newcomer asks of the time line: why does dX 1 begin after the second product of dX?
  AppState state = with_layer({.kind = LayerKind::column,
                               .tokens = 4096,
                               .in = 4096,
                               .out = 8192,
                               .ranks = 2,
                               .chunks = 4});
  EXPECT_EQ(begin_words(state, {2, 0}, -1), "") << "nobody was asked yet";
  model_it(state);
  const std::string words = begin_words(state, {2, 0}, -1);
  EXPECT_EQ(
      words.find("dX 1 could begin after part of dX 1, which it reads, on all ranks. It begins"),
      0u)
      << words;
  EXPECT_NE(words.find("part of dX 2 has the SMs by then"), std::string::npos) << words;
  const std::string second = begin_words(state, {1, 1}, 1);
  EXPECT_EQ(second,
            "part of dX 2 begins after part of dX 1: rank 1 does one thing after the other.");
  EXPECT_EQ(begin_words(state, {0, 0}, 0), "Y begins at once: it waits for nothing.");
}

TEST(LayerPresets, AreLayersThatCanBe) {
  std::set<std::string> names;
  for (const LayerPreset& preset : layer_presets()) {
    Layer layer = small();
    layer.gather = true;
    layer = with_preset(layer, preset);
    EXPECT_EQ(why_not(layer), "") << preset.name;
    EXPECT_EQ(preset_of(layer), &preset) << preset.name;
    EXPECT_EQ(layer.tokens, small().tokens);
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
  }
  EXPECT_EQ(preset_of(small()), nullptr);
}

TEST(LayerCommand, IsTheSameRunInAShell) {
  AppState state = with_layer(small());
  const std::string command = layer_command(state);
  EXPECT_NE(command.find(" layer column --tokens 64 --in 128 --out 256 --ranks 2 --chunks 2 "
                         "--device emulator"),
            std::string::npos)
      << command;
}

}  // namespace
}  // namespace tilescope
